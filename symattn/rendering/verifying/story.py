"""The story of a document in one place: each fault, what it was carried into, and what the results would be.

Arrives: a checked document. Leaves: `Story` records, one for each finding that no other finding explains.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symattn.documents.formats.document import Place
from symattn.documents.report import Checked, Claim
from symattn.rendering.verifying.told import would_be


@dataclass(frozen=True, slots=True)
class Story:
    """A first fault; the findings that it explains; and the claims that are right in themselves but inherited it."""

    first: Claim
    explains: tuple[Claim, ...] = ()
    inherited: tuple[Claim, ...] = ()

    @property
    def results(self) -> tuple[Claim, ...]:
        """Where the fault ended up: of all that it reached, what belongs to the same stage as the last of it.

        Only what would be another number is among them.
        """
        reached = sorted((*self.explains, *self.inherited), key=lambda claim: claim.span)
        if not reached:
            return ()
        last = _stage(reached[-1])
        return tuple(c for c in reached if _stage(c) == last and would_be(c) not in {"", c.text})


def stories(checked: Checked) -> tuple[Story, ...]:
    """The stories of a document, in the order of their first faults."""
    at = {claim.place: claim for claim in reversed(checked.claims)}  # the first of two at one place
    firsts: dict[Place, Claim] = {}
    explains: dict[Place, list[Claim]] = {}
    inherited: dict[Place, list[Claim]] = {}
    later: list[tuple[Claim, Place]] = []
    for claim in checked.claims:
        if not claim.finding and claim.carried != "inherited":
            continue
        root = _root(claim, at)
        if claim.finding and root == claim.place:
            firsts.setdefault(root, claim)
        else:
            later.append((claim, root))
    for claim, root in later:
        if root in firsts:
            (explains if claim.finding else inherited).setdefault(root, []).append(claim)
        elif claim.finding:  # explained by what is no finding itself: it stands alone
            firsts.setdefault(claim.place, claim)
    return tuple(
        Story(first, tuple(explains.get(place, ())), tuple(inherited.get(place, ())))
        for place, first in sorted(firsts.items(), key=lambda item: item[1].span)
    )


def _root(claim: Claim, at: Mapping[Place, Claim]) -> Place:
    """The place that a claim leads back to, over as many steps as there are; a circle ends where it closes."""
    seen = {claim.place}
    while True:
        back = claim.root_cause if claim.finding else claim.origin
        if back is None or back in seen:
            return claim.place
        seen.add(back)
        if back not in at:
            return back
        claim = at[back]


def _stage(claim: Claim) -> str:
    return claim.stage or claim.label.partition("[")[0]
