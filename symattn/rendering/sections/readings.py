"""Who attends to whom, in words, computed from the weights.

Weights are compared exactly; percentages are certified decimals.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq

from symattn.errors import UndecidedError
from symattn.formulas import Decimal, Formula, Name
from symattn.numbers.arithmetic import Letter
from symattn.numbers.expsum import ExpQuotient
from symattn.numbers.rounding import round_rational
from symattn.numbers.written import WrittenNumber
from symattn.rendering.blocks import Inlines
from symattn.rendering.sections.story import Story
from symattn.rendering.sympy_latex import letter_latex

ALMOST_ALL = fmpq(19, 20)
MAINLY = fmpq(7, 10)
NAMED = 3


def reading(story: Story, i: int) -> Inlines:
    """The row of token `i` in words; nothing where it depends on letters."""
    weights = story.derivation.trace.attention_weights[i]
    if len(weights) == 1:
        return story.say("reading_only", token=story.token(i))
    if story.free:
        return _free_reading(story, i)
    try:
        shares = [_share(story, weight) for weight in weights]
    except UndecidedError:
        return ()
    top = max(shares)
    order = sorted(range(len(shares)), key=lambda j: (-shares[j], j))
    leaders = [j for j in order if shares[j] == top]
    token = story.token(i)
    if len(leaders) == len(shares):
        return story.say("reading_equal", token=token, percent=percent(top))
    if len(leaders) > 1:
        firsts = story.token_list(leaders[:NAMED], i)
        return story.say("reading_tied", token=token, firsts=firsts, percent=percent(top))
    first = story.token(leaders[0], i)
    others = _others(story, i, order[1 : 1 + NAMED], shares)
    if top >= ALMOST_ALL:
        return story.say("reading_almost", token=token, first=first, percent=percent(top))
    key = "reading_mainly" if top >= MAINLY else "reading_more" if len(shares) == 2 else "reading_most"
    return story.say(key, token=token, first=first, percent=percent(top), others=others)


def _share(story: Story, weight: Any) -> fmpq:
    """A weight as it is compared: exactly where rational, else its first twelve certified decimals."""
    if isinstance(weight, (fmpq, WrittenNumber)):
        return weight if isinstance(weight, fmpq) else weight.value
    return story.digits.round(weight, 12).value


def _others(story: Story, i: int, places: Sequence[int], shares: Sequence[fmpq]) -> Inlines:
    out: list[Any] = []
    for n, j in enumerate(places):
        if n:
            out.append(story.language.words("separator"))
        out.extend(story.say("reading_other", token=story.token(j, i), percent=percent(shares[j])))
    return tuple(out)


def percent(share: fmpq) -> str:
    """A share as a percentage, whole or to one place.

    >>> percent(fmpq(17, 20)), percent(fmpq(1, 3))
    ('85%', '33.3%')
    """
    return round_rational(share * 100, 1).stripped + "%"


def _free_reading(story: Story, i: int) -> Inlines:
    """With a free d_k the order of the scores is the order of the weights."""
    scores = story.derivation.trace.scores[i]
    if not all(isinstance(score, fmpq) for score in scores):
        return ()
    if not all(isinstance(w, (fmpq, ExpQuotient)) for w in story.derivation.trace.attention_weights[i]):
        return ()
    top = max(scores)
    leaders = [j for j, score in enumerate(scores) if score == top]
    d_k, token = d_k_formula(story), story.token(i)
    if len(leaders) == len(scores):
        return story.say("reading_free_equal", d_k=d_k, token=token)
    if len(leaders) > 1:
        firsts = story.token_list(leaders[:NAMED], i)
        return story.say("reading_free_tied", d_k=d_k, token=token, firsts=firsts)
    return story.say("reading_free", d_k=d_k, token=token, first=story.token(leaders[0], i))


def d_k_formula(story: Story) -> Formula:
    """d_k under its own name: the letter that the spec gives it."""
    if isinstance(story.d_k, Letter) and story.d_k.name != "d_k":
        return Decimal(letter_latex(story.d_k.name))
    return Name("d_k")
