"""Who attends to whom, in words, computed from the weights.

Equality is decided exactly, order by thirty certified decimals; a percentage is rounded once, from the exact weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpq

from symattn.errors import UndecidedError
from symattn.formulas import Decimal, Formula, Name
from symattn.numbers.arithmetic import Letter
from symattn.numbers.certified import rational_of
from symattn.numbers.expsum import ExpQuotient
from symattn.numbers.rounding import Digits
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
        shares = [size(story, weight) for weight in weights]
        percents = [percent(story, weight) for weight in weights]
    except UndecidedError:
        return ()
    order = sorted(range(len(shares)), key=lambda j: (-shares[j], j))
    first = order[0]
    leaders = [j for j in order if weights[j] == weights[first]]
    told: dict[str, Any] = {"token": story.token(i), "percent": percents[first]}
    if len(leaders) == len(shares):
        return story.say("reading_equal", **told)
    if len(leaders) > 1:
        return story.say("reading_tied", firsts=listed(story, [(story.token(j, i),) for j in leaders]), **told)
    told["first"] = story.token(first, i)
    if shares[first] >= ALMOST_ALL:
        return story.say("reading_almost", **told)
    key = "reading_mainly" if shares[first] >= MAINLY else "reading_more" if len(shares) == 2 else "reading_most"
    others = [story.say("reading_other", token=story.token(j, i), percent=percents[j]) for j in order[1:]]
    return story.say(key, others=listed(story, others), **told)


def size(story: Story, number: Any) -> fmpq:
    """A number for putting things in order: exactly where it is rational, else its first thirty certified decimals."""
    value = rational_of(number)
    return value if value is not None else story.digits.round(number, 30).value


def percent(story: Story, share: Any) -> str:
    """A share as a percentage, whole or to one place, rounded once."""
    digits = story.digits.round(share, 3)
    return Digits(digits.units, 1).stripped + "%"


def listed(story: Story, items: Sequence[Inlines]) -> Inlines:
    """Things one after the other as the language lists them; what is left out is counted."""
    words = story.language.words
    shown = list(items if len(items) <= NAMED + 1 else items[:NAMED])
    out: list[Any] = []
    for n, item in enumerate(shown):
        if n:
            out.append(words("list_last" if n == len(shown) - 1 and len(shown) == len(items) else "list_separator"))
        out.extend(item)
    if len(shown) < len(items):
        out.append(words("list_more", count=str(len(items) - len(shown))))
    return tuple(out)


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
        firsts = listed(story, [(story.token(j, i),) for j in leaders])
        return story.say("reading_free_tied", d_k=d_k, token=token, firsts=firsts)
    return story.say("reading_free", d_k=d_k, token=token, first=story.token(leaders[0], i))


def d_k_formula(story: Story) -> Formula:
    """d_k under its own name: the letter that the spec gives it."""
    if isinstance(story.d_k, Letter) and story.d_k.name != "d_k":
        return Decimal(letter_latex(story.d_k.name))
    return Name("d_k")
