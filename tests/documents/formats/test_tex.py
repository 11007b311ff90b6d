from __future__ import annotations

from collections.abc import Callable

import pytest

CASES = [
    ("inline", "so $a$ is", [("prose", "so "), ("math_inline", "a"), ("prose", " is")]),
    ("parentheses", r"\(a\) \[b\]", [("math_inline", "a"), ("math_display", "b")]),
    ("double dollars", "$$a$$", [("math_display", "a")]),
    ("equation", "\\begin{equation}\\label{x}\na\n\\end{equation}", [("math_display", "\\label{x}\na")]),
    ("align", "\\begin{align*}a &= 1\\end{align*}", [("math_display", "\\begin{align*}a &= 1\\end{align*}")]),
    ("eqnarray", "\\begin{eqnarray}a\\end{eqnarray}", [("math_display", "\\begin{eqnarray}a\\end{eqnarray}")]),
    ("dollars in text in a formula", r"$\text{if $x$} = 3$", [("math_inline", r"\text{if $x$} = 3")]),
    ("comments", "a % $b$\nc 50\\% % d", [("prose", "a \nc 50%")]),
    ("a line of comment", "$a\n% b\n= c$", [("math_inline", "a\n= c")]),
    ("iffalse", r"a \iffalse 1 = 2 \fitted \fi b", [("prose", "a  b")]),
    ("comment environment", "a\\begin{comment}1 = 2\\end{comment} b", [("prose", "a b")]),
    ("verbatim", "\\begin{verbatim}\nx = 1 % 2\n\\end{verbatim}", [("code", "x = 1 % 2")]),
    ("verb", r"so \verb|a = 1|.", [("prose", "so "), ("code_inline", "a = 1"), ("prose", ".")]),
    ("verbatim text that is dropped", r"\newcommand{\a}{\verb|1|}\index{\verb|2|} \verb|3|", [("code_inline", "3")]),
    ("listing", "\\begin{lstlisting}[language=Python]\nx = 1 # = 1\n\\end{lstlisting}", [("code", "x = 1 "), ("comment", "= 1")]),
    ("formatting", r"\textbf{Row} {\bf 1} \emph{is} 0{,}67~\% \textsuperscript{2}", [("prose", "Row 1 is 0,67 % ^{2}")]),
    ("unknown commands stay", r"\sqrt{2} \foo{3}", [("prose", r"\sqrt{2} \foo{3}")]),
    ("groups of unknown commands", r"\sqrt{\frac{1}{2}}", [("prose", r"\sqrt{\frac{1}{2}}")]),
    ("a command at the end of a group", r"\ensuremath{\surd}d Out{[}1{]}", [("prose", r"\surd d Out[1]")]),
    ("frame", "\\begin{frame}[t]{A $x$}a\\end{frame}", [("heading", "A "), ("math_inline", "x"), ("prose", "a")]),
    ("dropped commands", r"a\label{x=1} \cite[p.~3]{b} \vspace{2cm} c", [("prose", "a   c")]),
    ("items", "\\begin{itemize}\\item[Row 1:] a\\item b\\end{itemize}", [("prose", "Row 1:  a"), ("prose", "b")]),
    ("preamble", "\\newcommand{\\h}{0.5}1 = 2\\begin{document}$\\h$\\end{document}3 = 4", [("math_inline", "0.5")]),
    ("macros for environments", "\\def\\be{\\begin{equation}}\\def\\ee{\\end{equation}}\\be a \\ee", [("math_display", "a")]),
    ("matrix without dollars", r"so A = \begin{pmatrix}1\end{pmatrix}", [("prose", "so "), ("math_inline", r"A = \begin{pmatrix}1\end{pmatrix}")]),
    ("pictures", "a\\begin{tikzpicture}1 = 2\\end{tikzpicture} b", [("prose", "a b")]),
    ("line break", "a \\\\[2pt] b", [("prose", "a \n b")]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_people_write(shown: Callable, source: str, expected: list[tuple[str, str]]) -> None:
    assert shown(source, "tex") == expected


def test_headings_lists_and_paragraphs(read: Callable) -> None:
    source = "\\section[s]{A $x$}\\label{l}\na\n\n\\subsection*{B}\n\\begin{enumerate}\\item b\\end{enumerate}"
    regions = read(source, "tex").regions
    assert [(r.kind, r.text, r.level, r.headings, r.within) for r in regions] == [
        ("heading", "A ", 2, (), ()),
        ("math_inline", "x", 2, (), ()),
        ("prose", "a", 0, ("A x",), ()),
        ("heading", "B", 3, ("A x",), ()),
        ("prose", "b", 0, ("A x", "B"), ("list",)),
    ]


def test_tables(read: Callable) -> None:
    source = (
        "\\begin{tabular}{|c|cc|}\\hline\ntoken & $Q$ & $K$ \\\\ \\hline\nA \\& B & 1.0 & $\\begin{matrix}1 & 2\\end{matrix}$ \\\\[2pt]\n"
        "\\multicolumn{2}{c}{both} & {x & y} \\\\ \\hline\n\\end{tabular}"
    )
    (table,) = read(source, "tex").regions
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["token", "Q", "K"],
        ["A & B", "1.0", "\\begin{matrix}1 & 2\\end{matrix}"],
        ["both", "", "{x & y}"],
    ]


def test_places_through_comments_and_macros(read: Callable) -> None:
    source = "% c\n\\newcommand{\\w}[1]{w=#1}\na % b\n$\\w{0.85}$ % d\n$1.17$"
    document = read(source, "tex")
    assert [
        (r.text, document.place(r.offsets.start(len(r.text) - 4))) for r in document.regions if "math" in r.kind
    ] == [
        ("w=0.85", (4, 5)),
        ("1.17", (5, 2)),
    ]


def test_files_are_noted_and_never_opened(read: Callable, tmp_path) -> None:
    secret = tmp_path / "secret.tex"
    secret.write_text("1 + 1 = 3")
    document = read(f"a \\input{{{secret}}} b \\write18{{rm x}} $\\include{{x}} = 1$ \\openout3=x", "tex")
    assert {note.message for note in document.notes} == {
        "\\input was not followed",
        "\\write was not followed",
        "\\include was not followed",
        "\\openout was not followed",
    }
    assert "1 + 1 = 3" not in "".join(region.text for region in document.regions)
    assert [region.unreadable for region in document.regions if region.kind == "math_inline"] == [
        "\\include was not followed"
    ]


def test_a_macro_that_does_not_end_marks_only_its_formula(read: Callable) -> None:
    document = read("\\def\\a{\\a} $\\a = 1$ and $2 = 2$", "tex")
    assert [(r.text, r.unreadable) for r in document.regions if r.kind == "math_inline"] == [
        ("\\a = 1", "\\a is defined by itself, or 32 macros deep"),
        ("2 = 2", ""),
    ]
    assert [note.kind for note in document.notes] == ["macros"]


@pytest.mark.parametrize(
    ("source", "reason"),
    [("\\begin{align} a = 1\n\nb", "\\begin{align} is never closed"), ("$$ a = 1\n\nb", "$$ is never closed")],
)
def test_unclosed_formulas_end_with_their_paragraph(read: Callable, source: str, reason: str) -> None:
    formula, after = read(source, "tex").regions
    assert (formula.unreadable, after.text) == (reason, "b")
