from __future__ import annotations

import pytest

from symattn.documents.formats.macros import Macros
from symattn.documents.formats.offsets import whole

EXPANSIONS = [
    ("newcommand", r"\newcommand{\R}{\mathbb{R}}\R^2", r"\mathbb{R}^2"),
    ("without braces", r"\newcommand\R{\mathbb R}\R", r"\mathbb R"),
    ("starred", r"\newcommand*{\a}{1}\a", "1"),
    ("parameters", r"\newcommand{\f}[2]{\frac{#2}{#1}}\f{1}{2}", r"\frac{2}{1}"),
    ("default", r"\newcommand{\w}[2][Q]{W_{#1}^{#2}}\w{1}\w[K]{2}", r"W_{Q}^{1}W_{K}^{2}"),
    ("single tokens", r"\newcommand{\f}[2]{#1/#2}\f 1\alpha", r"1/\alpha"),
    ("def", r"\def\m#1{\begin{bmatrix}#1\end{bmatrix}}\m{1 & 2}", r"\begin{bmatrix}1 & 2\end{bmatrix}"),
    ("let", r"\let\T=\top K^\T", r" K^\top"),
    ("operator", r"\DeclareMathOperator{\sm}{softmax}\sm(x)", r"\operatorname{softmax}(x)"),
    ("delimiters", r"\DeclarePairedDelimiter{\n}{\lVert}{\rVert}\n{x}", r"\lVert x \rVert"),
    ("environment", r"\newenvironment{s}{\begin{aligned}}{\end{aligned}}\begin{s}a\end{s}", r"\begin{aligned}a\end{aligned}"),
    ("typed", r"\NewDocumentCommand{\q}{m m}{#1+#2}\q{a}{b}", "a+b"),
    ("redefined", r"\newcommand{\a}{1}\a\renewcommand{\a}{2}\a", "12"),
    ("nested", r"\newcommand{\b}[1]{\mathbf{#1}}\newcommand{\Q}{\b{Q}}\Q_\b{\b{i}}", r"\mathbf{Q}_\mathbf{\mathbf{i}}"),
    ("argument of the text around", r"\newcommand{\v}[1]{<#1>}\newcommand{\w}{\v}\w{a}", "<a>"),
    ("a command before an argument", r"\newcommand{\b}[1]{\mathbf#1}\b Q", r"\mathbf Q"),
    ("the longer name", r"\newcommand{\a}{1}\ab \a b", r"\ab 1 b"),
    ("meaning at the time", r"\newcommand{\a}{\b}\newcommand{\b}{2}\a", "2"),
    ("nothing of the author's", r"\frac{1}{2} \left( x \right)", r"\frac{1}{2} \left( x \right)"),
    ("fitted to the line", r"\newcommand{\fit}[1]{\savebox{\b}{$#1$}\ifdim\wd\fibox>1pt\usebox{\b}\else$#1$\fi}\fit{a}", "$a$"),
    ("a box that is used", r"\newcommand{\fit}[1]{\sbox\b{$#1$}x\usebox\b}\fit{a}", "x$a$"),
    ("structure is not redefined", r"\renewcommand{\begin}{x}\begin{a}", r"\begin{a}"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "expected"), [case[1:] for case in EXPANSIONS], ids=[case[0] for case in EXPANSIONS]
)
def test_author_macros_are_written_out(source: str, expected: str) -> None:
    expanded, failures = Macros().expand(whole(source))
    assert (expanded.text, failures) == (expected, ())


REFUSALS = [
    ("itself", r"\def\a{\a}\a", r"\a", r"\\a is defined by itself, or 32 macros deep"),
    ("each other", r"\def\a{\b}\def\b{\a}\a", r"\a", "32 macros deep"),
    ("doubling", r"\def\a{\a\a}\a", r"\a", "32 macros deep"),
    ("wide", r"\def\a{" + r"\b" * 3000 + r"}\def\b{" + "x" * 3000 + r"}\a", r"\a", "grows beyond 100,000 characters"),
    ("no argument", r"\newcommand{\a}[1]{#1}\a", r"\a", r"\\a lacks an argument"),
    ("open argument", r"\newcommand{\a}[1]{#1}\a{b", r"\a{b", r"an argument of \\a is never closed"),
    ("delimiters", r"\def\a(#1){#1}\a(2)", r"\a(2)", "its \\\\def has delimiters, which are not read"),
]


@pytest.mark.parametrize(
    ("source", "left", "reason"), [case[1:] for case in REFUSALS], ids=[case[0] for case in REFUSALS]
)
def test_what_cannot_be_written_out_is_left_and_named(source: str, left: str, reason: str) -> None:
    expanded, failures = Macros().expand(whole(source))
    assert expanded.text == left
    assert len(failures) == 1
    with pytest.raises(ValueError, match=reason):
        raise ValueError(failures[0].reason)


def test_arguments_keep_their_places_and_bodies_stand_for_the_call() -> None:
    source = r"\newcommand{\s}[1]{0.85 #1} \s{1.17}"
    expanded, _ = Macros().expand(whole(source))
    at = expanded.text.index("1.17")
    assert expanded.span(at, at + 4) == (source.index("1.17"), source.index("1.17") + 4)
    assert expanded.offsets.copied(at, at + 4)
    at = expanded.text.index("0.85")
    assert expanded.span(at, at + 4) == (source.index(r"\s{1.17}"), len(source))
    assert not expanded.offsets.copied(at, at + 4)


def test_the_rest_of_a_text_is_expanded_after_a_refusal() -> None:
    expanded, failures = Macros().expand(whole(r"\def\a{\a}\def\b{2}\a = \b"))
    assert expanded.text == r"\a = 2"
    assert [(failure.start, failure.end) for failure in failures] == [(0, 2)]
