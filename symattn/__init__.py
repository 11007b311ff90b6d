"""Self-attention worked out exactly: `load_spec -> derive -> render`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symattn.attention.derive import derive
    from symattn.attention.spec import Spec
    from symattn.attention.spec_file import load_spec
    from symattn.attention.trace import Derivation
    from symattn.comparison.compare import Comparison, compare
    from symattn.errors import SymattnError
    from symattn.files import write_all
    from symattn.numbers.certified import certified
    from symattn.numbers.exact import Exact
    from symattn.numbers.rounding import Policy
    from symattn.numbers.written import Written
    from symattn.rendering import render
    from symattn.rendering.compared import render_comparison
    from symattn.rendering.options import Options
    from symattn.rendering.pdf import to_pdf

__all__ = [
    "Comparison",
    "Derivation",
    "Exact",
    "Options",
    "Policy",
    "Spec",
    "SymattnError",
    "Written",
    "certified",
    "compare",
    "derive",
    "load_spec",
    "render",
    "render_comparison",
    "to_pdf",
    "write_all",
]

_HOMES = {
    "Comparison": "comparison.compare",
    "Derivation": "attention.trace",
    "Exact": "numbers.exact",
    "Options": "rendering.options",
    "Policy": "numbers.rounding",
    "Spec": "attention.spec",
    "SymattnError": "errors",
    "Written": "numbers.written",
    "certified": "numbers.certified",
    "compare": "comparison.compare",
    "derive": "attention.derive",
    "load_spec": "attention.spec_file",
    "render": "rendering",
    "render_comparison": "rendering.compared",
    "to_pdf": "rendering.pdf",
    "write_all": "files",
}


def __getattr__(name: str) -> Any:  # modules load when they are first needed: most runs are short
    if name not in _HOMES:
        raise AttributeError(f"module 'symattn' has no attribute {name!r}")
    return getattr(import_module(f"symattn.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
