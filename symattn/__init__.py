"""Self-attention worked out exactly: `load_spec -> derive -> render`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symattn.attention.derive import derive
    from symattn.attention.spec import Spec
    from symattn.attention.spec_file import load_spec
    from symattn.attention.trace import Derivation
    from symattn.comparison.beside import Beside, beside
    from symattn.comparison.compare import Asked, Comparison, compare
    from symattn.comparison.free import FreeDk, free_d_k
    from symattn.comparison.sweep import sweep
    from symattn.documents.report import Report
    from symattn.documents.verify import verify
    from symattn.errors import SymattnError
    from symattn.files import write_all
    from symattn.numbers.certified import certified
    from symattn.numbers.exact import Exact
    from symattn.numbers.rounding import Policy
    from symattn.numbers.written import Written
    from symattn.rendering import render
    from symattn.rendering.comparing import render_comparison
    from symattn.rendering.options import Options
    from symattn.rendering.pdf import to_pdf
    from symattn.rendering.pictures import draw
    from symattn.rendering.verifying import render_report

__all__ = [
    "Asked",
    "Beside",
    "Comparison",
    "Derivation",
    "Exact",
    "FreeDk",
    "Options",
    "Policy",
    "Report",
    "Spec",
    "SymattnError",
    "Written",
    "beside",
    "certified",
    "compare",
    "derive",
    "draw",
    "free_d_k",
    "load_spec",
    "render",
    "render_comparison",
    "render_report",
    "sweep",
    "to_pdf",
    "verify",
    "write_all",
]

_HOMES = {
    "Asked": "comparison.compare",
    "Beside": "comparison.beside",
    "Comparison": "comparison.compare",
    "Derivation": "attention.trace",
    "Exact": "numbers.exact",
    "FreeDk": "comparison.free",
    "Options": "rendering.options",
    "Policy": "numbers.rounding",
    "Report": "documents.report",
    "Spec": "attention.spec",
    "SymattnError": "errors",
    "Written": "numbers.written",
    "beside": "comparison.beside",
    "certified": "numbers.certified",
    "compare": "comparison.compare",
    "derive": "attention.derive",
    "draw": "rendering.pictures",
    "free_d_k": "comparison.free",
    "load_spec": "attention.spec_file",
    "render": "rendering",
    "render_comparison": "rendering.comparing",
    "render_report": "rendering.verifying",
    "sweep": "comparison.sweep",
    "to_pdf": "rendering.pdf",
    "verify": "documents.verify",
    "write_all": "files",
}


def __getattr__(name: str) -> Any:  # modules load when they are first needed: most runs are short
    if name not in _HOMES:
        raise AttributeError(f"module 'symattn' has no attribute {name!r}")
    return getattr(import_module(f"symattn.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
