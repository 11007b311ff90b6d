"""Phrases with places for formulas and words."""

from __future__ import annotations

import pytest

from symattn.errors import OptionError
from symattn.formulas import Name
from symattn.rendering.blocks import Math, Token
from symattn.rendering.language import Language, language


def test_places_are_filled_with_formulas_tokens_and_inlines() -> None:
    made = Language("xx", {"p": "a {x} b {y}{z}"})
    assert made.say("p", x=Name("Q"), y=Token("t"), z=("1", "2")) == (
        "a ",
        Math(Name("Q")),
        " b ",
        Token("t"),
        "1",
        "2",
    )


def test_a_place_left_empty_raises() -> None:
    with pytest.raises(KeyError, match="x"):
        Language("xx", {"p": "{x}"}).say("p")


def test_words_from_outside_are_never_read_as_a_phrase() -> None:
    made = Language("xx", {"p": "{x}"})
    assert made.say("p", x=Token("{y}")) == (Token("{y}"),)
    assert made.words("p", x="{y}") == "{y}"


def test_an_unknown_language_raises() -> None:
    with pytest.raises(OptionError, match="unknown language 'fr'; expected one of zh, en"):
        language("fr")
