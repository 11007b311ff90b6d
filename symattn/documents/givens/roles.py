"""Which matrix a name or words stand for.

Arrives: names of formulas, words in several languages. Leaves: X, W_Q, W_K, W_V, Q, K, V or d_k, and an index or head.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from symattn.documents.reading.tree import Bracketed, Indexed, Name, Node, Text

LETTERS: Final = {"q": "Q", "k": "K", "v": "V", "query": "Q", "key": "K", "value": "V", "queries": "Q", "keys": "K",
                   "values": "V"}  # fmt: skip
_WORDS: Final = {
    **LETTERS, "x": "X", "input": "X", "inputs": "X", "embedding": "X", "embeddings": "X", "emb": "X",
    "input matrix": "X", "token embeddings": "X", "input embeddings": "X", "query matrix": "Q", "key matrix": "K",
    "value matrix": "V", "输入": "X", "输入矩阵": "X", "嵌入": "X", "词嵌入": "X", "查询": "Q", "键": "K", "值": "V",
    "查询矩阵": "Q", "键矩阵": "K", "值矩阵": "V", "輸入": "X", "輸入矩陣": "X", "查詢": "Q", "鍵": "K", "值矩陣": "V",
}  # fmt: skip
_SAID: Final = (
    ("W_Q", r"\bW\s?[_^]?\{?[Qq](?:uery)?\b|query (?:weight|projection)|查询权重"),
    ("W_K", r"\bW\s?[_^]?\{?[Kk](?:ey)?\b|key (?:weight|projection)|键权重"),
    ("W_V", r"\bW\s?[_^]?\{?[Vv](?:alue)?\b|value (?:weight|projection)|值权重"),
    ("Q", r"(?<![\w_^{])Q(?![\w·*^×])|\bquer(?:y|ies)\b|查询|查詢|запрос|쿼리|クエリ|truy vấn|requête|consulta"),
    ("K", r"(?<![\w_^{])K(?![\w·*^×])|\bkeys?\b|键|鍵|ключ|키|キー|khóa|clés?\b|clave"),
    ("V", r"(?<![\w_^{])V(?![\w·*^×])|\bvalues?\b|值|значени|밸류|バリュー|giá trị|valeur|valor"),
    ("X", r"(?<![\w_^{])X(?![\w·*^×])|embedding|(?:token|word) vectors?|\binputs?\b"),
    ("X", r"词向量|嵌入|输入|輸入|эмбеддинг|임베딩|埋め込み|입력"),
)
_PATTERNS: Final = tuple((role, re.compile(pattern, re.IGNORECASE)) for role, pattern in _SAID)


def role_of(node: Node | None) -> tuple[str, str]:
    r"""The role that a name stands for, and its index or head; two empty texts for another name.

    >>> from symattn.documents.reading.chains import read_chain
    >>> [role_of(read_chain(text).first) for text in ("W^Q", r"\mathbf{q}_2", r"\text{Keys}", "d_k", "S", "W_1^V")]
    [('W_Q', ''), ('Q', '2'), ('K', ''), ('d_k', ''), ('', ''), ('W_V', '1')]
    """
    if isinstance(node, Bracketed):
        return role_of(node.inner)
    if isinstance(node, Indexed):
        role, index = role_of(node.inner)
        return (role, node.sub) if role and not index else ("", "")
    if isinstance(node, Text):
        return _WORDS.get(node.key.lower(), ""), ""
    if not isinstance(node, Name) or node.accent:
        return "", ""
    scripts = [part.strip("()") for part in (node.sup, node.sub) if part]
    base = node.base
    if base in ("W", "w"):
        return _weight(scripts)
    if base == "d":
        return ("d_k", "") if [part.lower() for part in scripts] in (["k"], ["head"], ["key"], ["q"]) else ("", "")
    role = base if base in ("Q", "K", "V", "X") else LETTERS.get(base, "") if len(base) == 1 else ""
    role = role or ("X" if base in ("x", "E") else _WORDS.get(base.lower(), "") if len(base) > 1 else "")
    if not role or len(scripts) > 1:
        return "", ""
    index = scripts[0] if scripts else ""
    return (role, "" if index.lower() in ("in", "input", "emb", "0:", "matrix") else index)


def _weight(scripts: Sequence[str]) -> tuple[str, str]:
    roles = [LETTERS[part.lower()] for part in scripts if part.lower() in LETTERS]
    heads = [part for part in scripts if part.lower() not in LETTERS]
    return (f"W_{roles[0]}", "".join(heads)) if len(roles) == 1 and len(heads) < 2 else ("", "")


def role_of_words(text: str) -> str:
    """The one role that words speak of; empty where there is none, or more than one.

    >>> role_of_words("the query matrix:"), role_of_words("Q and K"), role_of_words("W_Q"), role_of_words("QK^T")
    ('Q', '', 'W_Q', '')
    """
    found = {role for role, pattern in _PATTERNS if pattern.search(text)}
    weights = found & {"W_Q", "W_K", "W_V"}
    found = weights or found
    return found.pop() if len(found) == 1 else ""


MAX_WORDS: Final = 300
_WRAPPED: Final = re.compile(r"[xqkvXQKV]\s*[\(（](.+)[\)）]$")
_EDGES: Final = " \t\n:：,，.。;；()（）[]*_`•-–—·=→←>|\"'“”「」$"


def word_of(text: str) -> str:
    """A token as words beside a row name it, without what stands around it.

    >>> word_of("- **Time** ("), word_of("Q(cat)"), word_of("甲 (i=1)")
    ('Time', 'cat', '甲')
    """
    lines = text[-MAX_WORDS:].strip().splitlines()
    last = lines[-1] if lines else ""
    if wrapped := _WRAPPED.match(last.strip(" ←\t")):
        last = wrapped[1]
    bare = re.sub(r"\s*[\(（][^()（）]*[\)）]?\s*[:：]?\s*$", "", last)
    word = (bare if bare.strip(_EDGES) else last).strip(_EDGES)
    return "".join(c for c in word if c.isprintable())[:100].strip()
