"""Numbers that a sentence enumerates are judged as the row that they are."""

from __future__ import annotations

import pytest

from symattn.documents.verify import verify

POWERS = "$e^{1} = 2.72$ and $e^2 = 7.39$, total $10.11$, so the weights are "


@pytest.mark.parametrize("between", [" and ", ", ", ", and ", " und ", " et ", " и ", "、", "和"])
@pytest.mark.parametrize(("last", "wrong"), [("0.73", []), ("0.75", [("0.75", "0.73")])])
def test_weights_told_one_after_the_other(between: str, last: str, wrong: list[tuple[str, str]]) -> None:
    text = f"{POWERS}$0.27${between}${last}$.\n"
    (found,) = verify(text).documents
    assert len(found.claims) == 5
    column = text.index(f"${last}$") + 2
    assert [(one.text, one.expected, one.place.column) for one in found.findings] == [
        (claimed, right, column) for claimed, right in wrong
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The learning rates were $0.27$ and $0.75$.",
        "We compare $0.1$ with $0.9$.",
        "its weights lie between $0.27$ and with luck $0.75$.",
    ],
)
def test_other_numbers_claim_nothing(text: str) -> None:
    (found,) = verify(f"{POWERS.split(',', maxsplit=1)[0]}.\n\n{text}\n").documents
    assert found.findings == ()


def test_decimal_commas() -> None:
    (found,) = verify("$e^1 = 2{,}72$ et $e^2 = 7{,}39$, donc les poids $0{,}27$ et $0{,}73$.\n").documents
    assert [claim.text for claim in found.claims] == ["2{,}72", "7{,}39", "0{,}27", "0{,}73"]
    assert found.findings == ()
