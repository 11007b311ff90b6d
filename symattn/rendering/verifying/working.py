"""The working of the claims on one line, with nothing left out.

Arrives: a report and a line. Leaves: text; a claim's facts one below the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from symattn.documents.report import Checked, Claim, Report
from symattn.errors import OptionError, one_line
from symattn.numbers.rounding import Mode, plain_digits, plain_value, round_rational
from symattn.rendering.verifying.excerpt import excerpt
from symattn.rendering.verifying.told import Telling, plain, spot

LONG: Final = 2000
"""Characters beyond which an exact form is cut."""


def explained(report: Report, line: int, telling: Telling) -> str:
    """The working of every claim that stands on a line, wholly or partly.

    Raises: OptionError if no document has such a line.
    """
    longest = max((len(checked.document.line_starts) for checked in report), default=0)
    if not 1 <= line <= longest:
        raise OptionError(f"line {line}", expected=f"1 to {longest}")
    lines: list[str] = []
    for checked in report:
        path = one_line(checked.document.path, 200)
        claims = [claim for claim in checked.claims if claim.place.line <= line <= claim.place.end_line]
        if not claims:
            lines.append(telling.words("explain_nothing", path=path, line=str(line)))
        for number, claim in enumerate(claims):
            lines += [""] if number else []
            lines += _explained(checked, claim, path, telling)
    return "".join(f"{text}\n" for text in lines)


def _explained(checked: Checked, claim: Claim, path: str, telling: Telling) -> Iterator[str]:
    from rich.cells import cell_len

    piece = excerpt(checked.document, claim.place)
    yield f"{path}:{spot(claim.place)}"
    yield f"    {piece.before}{piece.marked}{piece.after}".rstrip()
    yield f"    {piece.underline}"
    rows = [(telling.words(f"label_{name}"), text) for name, text in facts(claim, telling) if text]
    width = max(cell_len(label) for label, _ in rows)
    for label, text in rows:
        yield f"  {label}{' ' * (width - cell_len(label))}  {text}"


def facts(claim: Claim, telling: Telling) -> tuple[tuple[str, str], ...]:
    """All that is known of a claim, by the names of the labels; empty where it is not known."""
    return (
        ("quantity", one_line(claim.label, LONG)),
        ("written", f"{claim.relation} {one_line(claim.text, LONG)}"),
        ("verdict", telling.words("colon").join((telling.verdict(claim.verdict), telling.message(claim)))),
        ("working", one_line(claim.working, LONG)),
        ("exact", one_line(claim.exact or "", LONG)),
        ("decimal", decimal(claim)),
        ("expected", claim.expected or ""),
        ("rounding", _rounding(claim, telling)),
        ("route", telling.words(f"route_{claim.route}") if claim.route else ""),
        ("written_route", (claim.expected or "") if claim.route == "written" else ""),
        ("from_givens", claim.from_givens or ""),
        ("from_definitions", claim.from_definitions or ""),
        ("cause", telling.cause(claim)),
        ("root_cause", spot(claim.root_cause) if claim.root_cause and claim.root_cause != claim.place else ""),
        ("carried", telling.carried(claim)),
        ("notes", telling.words("semicolon").join(telling.notes(claim))),
    )


def decimal(claim: Claim) -> str:
    """The certified decimal; with ≈ where it is not the whole value."""
    if claim.decimal is None:
        return ""
    value = None if claim.exact is None else plain_value(claim.exact)
    whole = value is not None and value == plain_value(claim.decimal)
    return plain(claim.decimal) if whole else f"≈ {claim.decimal}"


def _rounding(claim: Claim, telling: Telling) -> str:
    """What each way of rounding gives at the author's digits, where the exact value is a plain fraction."""
    value = None if claim.exact is None else plain_value(claim.exact)
    digits = plain_digits(claim.expected or "")
    if value is None or digits is None:
        return ""
    modes = {"half_up": Mode.HALF_UP, "half_even": Mode.HALF_EVEN, "truncated": Mode.TRUNCATE}
    return telling.words(
        "rounding", **{name: round_rational(value, digits.places, mode).text for name, mode in modes.items()}
    )
