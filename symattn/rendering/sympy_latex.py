"""The one door to SymPy's LaTeX printer, with letters made safe before they reach it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from symattn.rendering.words import MATH_ESCAPES

if TYPE_CHECKING:
    import sympy

GREEK = frozenset(
    [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
        "xi",
        "pi",
        "rho",
        "sigma",
        "tau",
        "upsilon",
        "phi",
        "chi",
        "psi",
        "omega",
        "Gamma",
        "Delta",
        "Theta",
        "Lambda",
        "Xi",
        "Pi",
        "Sigma",
        "Upsilon",
        "Phi",
        "Psi",
        "Omega",
    ]
)


def letter_latex(name: str) -> str:
    r"""A letter of the input as LaTeX.

    >>> letter_latex("d_k"), letter_latex("beta_2"), letter_latex("crowbar")
    ('d_k', '\\beta_2', '\\mathrm{crowbar}')
    """
    base, underscore, index = name.partition("_")
    out = _part(base)
    if underscore:
        below = _part(index)
        out += f"_{below}" if len(index) == 1 else f"_{{{below}}}"
    return out


def _part(text: str) -> str:
    if text in GREEK:
        return "\\" + text
    if len(text) == 1 or text.isdigit():
        return "".join(MATH_ESCAPES.get(c, c) for c in text)
    return r"\mathrm{" + re.sub(r"[^A-Za-z0-9]", lambda m: MATH_ESCAPES.get(m[0], m[0]), text) + "}"


def sympy_latex(expr: sympy.Expr) -> str:
    r"""A SymPy expression as LaTeX.

    >>> import sympy
    >>> sympy_latex(sympy.Symbol("that") / 2)
    '\\frac{\\mathrm{that}}{2}'
    """
    import sympy

    names = {symbol: letter_latex(str(symbol.name)) for symbol in expr.free_symbols}
    return str(sympy.latex(expr, symbol_names=names))
