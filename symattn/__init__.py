"""Self-attention worked out exactly: `load_spec -> derive -> render`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "load_spec": "symattn.attention.spec_file",
    "Spec": "symattn.attention.spec",
    "derive": "symattn.attention.derive",
    "Derivation": "symattn.attention.trace",
    "Exact": "symattn.numbers.exact",
    "Written": "symattn.numbers.written",
    "Policy": "symattn.numbers.rounding",
    "render": "symattn.rendering",
    "to_pdf": "symattn.rendering.pdf",
    "write_whole": "symattn.files",
    "SymattnError": "symattn.errors",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:  # modules load when they are first needed: most runs are short
    if name not in _HOMES:
        raise AttributeError(f"module 'symattn' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
