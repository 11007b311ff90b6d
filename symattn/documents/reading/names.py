"""Names and words: which letters of a document are quantities, functions, or prose.

Arrives: runs of letters. Leaves: what they are, and one spelling for each way to write them. All of it is data.
"""

from __future__ import annotations

from typing import Final

from symattn.numbers.bounded import GREEK

FUNCTIONS: Final = {
    **{name: name for name in (
        "exp", "ln", "log", "sqrt", "max", "min", "softmax", "tanh", "sin", "cos", "sum", "mean", "norm", "concat",
        "sigmoid", "relu", "gelu", "abs", "round", "var", "std", "argmax", "transpose",
    )},
    "Softmax": "softmax", "SoftMax": "softmax", "SOFTMAX": "softmax", "softmax_rowwise": "softmax",
    "ReLU": "relu", "Relu": "relu", "RELU": "relu", "GELU": "gelu", "GeLU": "gelu", "Concat": "concat",
    "Max": "max", "Min": "min", "Exp": "exp", "Sum": "sum", "amax": "max", "maximum": "max", "dot": "dot",
    "matmul": "matmul", "LayerNorm": "layernorm", "LN": "layernorm", "layernorm": "layernorm", "around": "round",
    "Attention": "attention", "MultiHead": "multihead", "FFN": "ffn", "MLP": "mlp", "tg": "tan", "lg": "log10",
    "log10": "log10", "log2": "log2", "diag": "diag", "Var": "var", "Mean": "mean", "softMax": "softmax",
    "causal_softmax": "causal_softmax",
}  # fmt: skip
"""Words that are applied to what follows them, and the one name of each."""

BARE_FUNCTIONS: Final = frozenset(
    {"exp", "ln", "log", "tanh", "sigmoid", "relu", "softmax", "max", "min", "gelu", "sqrt", "sin", "cos"}
)
"""Functions that need no bracket: ln 2."""

WRAPPERS: Final = frozenset(
    {"array", "tensor", "Tensor", "constant", "matrix", "Matrix", "asarray", "Variable", "float32"}
)
"""Calls that stand for their first argument: np.array([...])."""

MODULES: Final = frozenset(
    {"np", "numpy", "math", "torch", "tf", "F", "jnp", "scipy", "special", "nn", "functional", "cmath"}
)

MATRIX_LETTERS: Final = frozenset("QKVXASWOPEHZMYI")
"""Letters of which a short capital word in plain text is a product: QK, AV, XW_Q."""

NUMBERED: Final = frozenset({"W", "Q", "K", "V", "head", "Head"})
"""Names that no example raises to a power: a number above them says which head, W_Q^1."""

CAPITAL_WORDS: Final = frozenset(
    {"FFN", "MLP", "MHA", "MHSA", "LN", "PE", "ReLU", "GELU", "RELU", "CLS", "SEP", "MASK"}
)

SUBSCRIPT_WORDS: Final = frozenset(
    {"model", "head", "heads", "out", "in", "ff", "new", "max", "min", "scaled", "masked", "row"}
)

GREEK_LETTERS: Final = {
    **{chr(0x3B1 + i + (i > 16)): name for i, name in enumerate(GREEK)},
    **{chr(0x391 + i + (i > 16)): name.capitalize() for i, name in enumerate(GREEK)},
    "ς": "sigma", "ϵ": "epsilon", "ϑ": "theta", "ϕ": "phi", "ϱ": "rho", "𝛼": "alpha", "ℓ": "ell",
}  # fmt: skip

LETTER_COMMANDS: Final = {
    **{name: name for name in GREEK},
    **{name.capitalize(): name.capitalize() for name in GREEK},
    **{f"var{name}": name for name in ("epsilon", "theta", "rho", "sigma", "phi", "kappa", "pi")},
    "ell": "ell", "partial": "∂", "nabla": "∇", "hbar": "hbar", "imath": "i", "jmath": "j", "Re": "Re",
    "varnothing": "∅", "emptyset": "∅", "triangle": "△", "forall": "∀", "exists": "∃",
}  # fmt: skip

ACCENTS: Final = frozenset({"hat", "tilde", "bar", "widehat", "widetilde", "dot", "ddot", "check", "breve", "overline"})
FONTS: Final = frozenset(
    [
        "mathbf",
        "boldsymbol",
        "bm",
        "mathcal",
        "mathbb",
        "mathfrak",
        "mathscr",
        "vec",
        "bold",
        "pmb",
        "mathit",
        "mathrm",
        "mathsf",
        "mathtt",
        "mathnormal",
        "operatorname",
        "rm",
        "bf",
        "it",
        "cal",
        "overrightarrow",
        "underline",
        "alert",
        "structure",
        "uncover",
        "visible",
        "only",
        "onslide",
        "num",
        "ensuremath",
        "symbf",
        "symbfup",
        "bs",
        "boldmath",
        "unboldmath",
    ]
)
TEXTS: Final = frozenset(
    [
        "text",
        "textbf",
        "textit",
        "textrm",
        "texttt",
        "textsf",
        "mbox",
        "hbox",
        "textnormal",
        "emph",
        "textup",
        "textsc",
        "textmd",
    ]
)

SUBSCRIPTS: Final = {
    **{chr(0x2080 + i): str(i) for i in range(10)},
    **dict(zip("ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥ₊₋₌₍₎", "aeoxhklmnpstijruv+-=()", strict=True)),
}
SUPERSCRIPTS: Final = {
    "⁰": "0", "¹": "1", "²": "2", "³": "3", **{chr(0x2070 + i): str(i) for i in range(4, 10)},
    **dict(zip("⁺⁻⁽⁾ⁿⁱᵀᵗᵏᵛʲᵐᵈ𐞥", "+-()niTtkvjmdq", strict=True)),
    "ᴷ": "K", "ⱽ": "V", "ᴼ": "O", "ᴴ": "H", "·": "", "ᵃ": "a", "ᵇ": "b", "ˣ": "x", "ꟴ": "Q",
}  # fmt: skip
del SUPERSCRIPTS["·"]

CONJUNCTIONS: Final = frozenset(
    [
        "and",
        "or",
        "so",
        "thus",
        "hence",
        "then",
        "with",
        "where",
        "und",
        "oder",
        "et",
        "ou",
        "y",
        "e",
        "o",
        "u",
        "i",
        "oraz",
        "và",
        "и",
        "або",
        "или",
        "和",
        "与",
        "與",
        "及",
        "且",
        "所以",
        "因此",
        "其中",
        "则",
        "即",
        "和",
        "및",
        "そして",
        "та",
        "и",
        "và",
    ]
)

RELATIONS: Final = {
    "=": "=", "==": "=", "＝": "=", "≈": "≈", "≃": "≈", "≅": "≈", "≐": "≈", "≒": "≈", "~=": "≈", "~": "∼", "∼": "∼",
    "≡": "≡", ":=": ":=", "≔": ":=", "≜": ":=", "->": "→", "-->": "→", "→": "→", "⇒": "→", "=>": "→", "⟹": "→",
    "⟶": "→", "➜": "→", "➔": "→", "⇨": "→", "↦": "→", "←": "←", "<-": "←", "∈": "∈", "∉": "∈", "<": "<", ">": ">",
    "≤": "≤", "<=": "≤", "≥": "≥", ">=": "≥", "≠": "≠", "!=": "≠", "∝": "∝", "≪": "<", "≫": ">", "⟺": "≡", "⇔": "≡",
    "⇐": "←", "≲": "≤", "≳": "≥", "⇄": "≡", "↔": "≡", "⩽": "≤", "⩾": "≥",
}  # fmt: skip
"""Signs of plain text, the longest found first."""

RELATION_COMMANDS: Final = {
    "approx": "≈", "simeq": "≈", "cong": "≈", "doteq": "≈", "approxeq": "≈", "thickapprox": "≈", "sim": "∼",
    "equiv": "≡", "coloneqq": ":=", "coloneq": ":=", "triangleq": ":=", "eqdef": ":=", "to": "→", "rightarrow": "→",
    "Rightarrow": "→", "implies": "→", "longrightarrow": "→", "Longrightarrow": "→", "mapsto": "→", "longmapsto": "→",
    "leftarrow": "←", "gets": "←", "Leftarrow": "←", "longleftarrow": "←", "in": "∈", "notin": "∈", "lt": "<",
    "gt": ">", "le": "≤", "leq": "≤", "leqslant": "≤", "ge": "≥", "geq": "≥", "geqslant": "≥", "ne": "≠", "neq": "≠",
    "propto": "∝", "ll": "<", "gg": ">", "iff": "≡", "Leftrightarrow": "≡", "leftrightarrow": "≡",
    "rightsquigarrow": "→",
    "fallingdotseq": "≈", "risingdotseq": "≈", "leadsto": "→", "therefore": "→", "because": "←", "eqsim": "≈",
    "Longleftrightarrow": "≡", "hookrightarrow": "→", "lesssim": "≤", "gtrsim": "≥", "subset": "∈", "subseteq": "∈",
}  # fmt: skip

MATRIX_ENVIRONMENTS: Final = {
    "matrix": "", "pmatrix": "()", "bmatrix": "[]", "Bmatrix": "{}", "vmatrix": "||", "Vmatrix": "‖‖",
    "smallmatrix": "",
    "array": "", "psmallmatrix": "()", "bsmallmatrix": "[]", "vsmallmatrix": "||", "tabular": "",
}  # fmt: skip
LINE_ENVIRONMENTS: Final = frozenset(
    [
        "aligned",
        "align",
        "alignedat",
        "alignat",
        "equation",
        "gather",
        "gathered",
        "split",
        "multline",
        "multlined",
        "eqnarray",
        "cases",
        "dcases",
        "rcases",
        "flalign",
        "displaymath",
        "math",
        "dmath",
        "darray",
    ]
)


def is_word(run: str) -> bool:
    """Whether letters in a row within LaTeX are one word, and not factors side by side.

    >>> [is_word(run) for run in ("QK", "qk", "sum", "Scores", "AV", "FFN")]
    [False, False, True, True, False, True]
    """
    if run in CAPITAL_WORDS or (run in FUNCTIONS and len(run) > 1):
        return True
    return len(run) >= 3 and run[1:].islower()


def is_transpose(script: str) -> bool:
    """Whether a superscript says "transposed"."""
    return script in ("T", "⊤", "tr", "intercal", "'T", "mathsf{T}")
