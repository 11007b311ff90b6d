from __future__ import annotations

from collections.abc import Callable

import pytest

CASES = [
    ("python", "a.py", "# s: 1 + 1 = 2\n# more\nx = 1\ny = 2  # = 2\n", [("comment", "s: 1 + 1 = 2\nmore"), ("code", "x = 1\ny = 2  "), ("comment", "= 2")]),
    ("in brackets", "a.py", "Q = [[1, 0],  # first\n     [0, 1]]\nK = Q", [("code", "Q = [[1, 0],  \n     [0, 1]]"), ("comment", "first"), ("code", "K = Q")]),
    ("docstring", "a.py", '"""Sum is $a$."""\nx = """# no"""', [("comment", "Sum is "), ("math_inline", "a"), ("comment", "."), ("code", 'x = """# no"""')]),
    ("strings", "a.py", "x = '# no' + \"# no\"", [("code", "x = '# no' + \"# no\"")]),
    ("c", "a.c", "int x; // = 1\n/* a\n * b */\nchar *s = \"// no\";", [("code", "int x; "), ("comment", "= 1"), ("comment", "a\nb"), ("code", 'char *s = "// no";')]),
    ("javascript", "a.js", "const u = `// no`; // = 2", [("code", "const u = `// no`; "), ("comment", "= 2")]),
    ("matlab transposes", "a.m", "S = Q*K' % = 2\nT = S'", [("code", "S = Q*K' "), ("comment", "= 2"), ("code", "T = S'")]),
    ("matlab strings", "a.m", "fprintf('%d\\n', 1); % = 1", [("code", "fprintf('%d\\n', 1); "), ("comment", "= 1")]),
    ("shell", "a.sh", "echo ${#a} # = 1", [("code", "echo ${#a} "), ("comment", "= 1")]),
    ("unclosed", "a.c", "x /* 1 + 1 = 2", [("code", "x "), ("comment", "1 + 1 = 2")]),
]  # fmt: skip


@pytest.mark.parametrize(("path", "source", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_comments_beside_code(shown: Callable, path: str, source: str, expected: list[tuple[str, str]]) -> None:
    assert shown(source, path=path) == expected


def test_a_statement_and_its_comment_are_one_block(read: Callable) -> None:
    regions = read("a = 1  # = 1\nb = 2  # = 2", path="a.py").regions
    assert [(region.kind, region.block) for region in regions] == [
        ("code", 1),
        ("comment", 1),
        ("code", 2),
        ("comment", 2),
    ]
    assert regions[1].within == ("comment",)
    assert regions[0].info == "py"


def test_plain_text(shown: Callable) -> None:
    source = "Step 1\n\nQ = [1, 2]\n$x$ costs $5\n \n\\[ a \\]\ne^1.76 ≈ 5.8"
    assert shown(source, path="a.txt") == [
        ("prose", "Step 1"),
        ("prose", "Q = [1, 2]\n"),
        ("math_inline", "x"),
        ("prose", " costs $5"),
        ("math_display", "a"),
        ("prose", "\ne^1.76 ≈ 5.8"),
    ]
