"""A derivation shows itself in a notebook."""

from __future__ import annotations

from symattn import Exact, derive, load_spec


def test_latex_shows_the_weights_and_the_output() -> None:
    shown = derive(load_spec())._repr_latex_()
    assert shown.startswith("$$")
    assert shown.endswith("$$")
    assert r"\text{Weights}=" in shown
    assert r"\frac{2+10e^{\sqrt{3}}}{1+e^{\sqrt{3}}}" in shown


def test_html_shows_the_whole_derivation_in_the_language_of_the_spec() -> None:
    shown = derive(load_spec(), Exact(free_d_k=True))._repr_html_()
    assert "第五阶段" in shown
    assert "<math" in shown
    assert "<html" not in shown
    assert "<script" not in shown


def test_html_escapes_the_words_of_the_example() -> None:
    spec = {"tokens": ["<script>alert(1)</script>"], "Q": [[1]], "K": [[1]], "V": [[1]]}
    assert "<script" not in derive(load_spec(spec))._repr_html_()
