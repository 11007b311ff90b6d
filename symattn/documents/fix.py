"""Corrections that are certain, put into a document and carried through what was computed from them.

Arrives: a document that was verified, and a way to verify a text again. Leaves: the corrected text, what was changed,
and what was refused with its reason. Only numbers are replaced, each in its author's own spelling; all else stays
character by character. A number is restated where the same digits stand again and can stem from nothing else.
"""

from __future__ import annotations

import difflib
import os
import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from symattn.comparison.verdicts import Verdict
from symattn.documents.edits import Edits
from symattn.documents.formats.document import Document, Place
from symattn.documents.literals import Literal
from symattn.documents.report import Checked, Claim
from symattn.documents.respell import Respelt, respell, value_of
from symattn.documents.restated import restated
from symattn.errors import OutputError, SymattnError, quoted

MAX_ROUNDS: Final = 50
MAX_RETURNS: Final = 3
"""How often a number may come back to a value that it had."""
FOLLOWING: Final = frozenset({Verdict.TRUNCATED, Verdict.LAST_DIGIT, Verdict.WRONG, Verdict.INCONSISTENT})
"""What a number may become when one that it was computed from is corrected, and is corrected for that reason."""


@dataclass(frozen=True, slots=True)
class Change:
    """A number that was replaced: where it stands in the original, what stood there, what stands there now, and why."""

    place: Place
    old: str
    new: str
    why: str


@dataclass(frozen=True, slots=True)
class Fixed:
    """A corrected text. `refused` are findings of it that stay, with the reason; `checked` is its verification."""

    text: str
    applied: tuple[Change, ...]
    refused: tuple[tuple[Claim, str], ...]
    checked: Checked


def fix(checked: Checked, again: Callable[[str], Checked]) -> Fixed:
    """The document with its certain corrections made and carried through; `again` verifies a text like the first.

    Verifying the result finds none of the corrected numbers again: what is still judged otherwise is put back.
    """
    return _Fixer(checked, again).run()


def unified_diff(path: str, old: str, new: str) -> str:
    r"""The patch from one text to the other, which `git apply` and `patch -p1` take; empty where nothing differs.

    >>> print(unified_diff("a.md", "x = 1.17\n", "x = 1.18\n"), end="")
    --- a/a.md
    +++ b/a.md
    @@ -1 +1 @@
    -x = 1.17
    +x = 1.18
    """
    name = _patch_name(path)
    lines = difflib.unified_diff(_lines(old), _lines(new), _header("a", name), _header("b", name))
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def file_text(document: Document, text: str) -> str:
    """The text as it stands in the file of the document: behind a byte order mark if there was one.

    >>> file_text(Document("a", "text", "", (), bom=True), "x") == chr(0xFEFF) + "x"
    True
    """
    return "\ufeff" + text if document.bom else text


def file_bytes(content: bytes, document: Document, text: str) -> bytes:
    """The bytes of a corrected file, in the encoding of `content`, from which the document was read.

    Raises: OutputError where the file holds bytes that are no text: they could not be written back as they were.

    >>> file_bytes(b"x = 1", Document("a", "text", "x = 1", ()), "x = 2")
    b'x = 2'
    """
    if file_text(document, document.source).encode(document.encoding, "surrogatepass") != content:
        problem = "the file holds bytes that are no text, and would lose them"
        raise OutputError(problem, where=document.path, hint="Save it as UTF-8 first.")
    return file_text(document, text).encode(document.encoding)


# patches


def _lines(text: str) -> list[str]:
    """Lines as patches count them: line feeds alone end one."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _patch_name(path: str) -> str:
    return posixpath.normpath(path.replace(os.sep, "/")).lstrip("/") if path not in ("", "-") else "stdin"


def _header(side: str, name: str) -> str:
    full = f"{side}/{name}"
    if any(c in '"\\' or ord(c) < 32 or ord(c) == 127 for c in full):
        escaped = "".join(_quoted_character(c) for c in full)
        return f'"{escaped}"'
    return full + ("\t" if " " in full else "")  # a tab ends a name with spaces


def _quoted_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    return f"\\{ord(character):03o}" if ord(character) < 32 or ord(character) == 127 else character


# rounds


@dataclass(frozen=True, slots=True)
class _Put:
    """A replacement in the text of a round; `end` is where the number ends in the source, `parent` what it restates."""

    start: int
    stop: int
    new: str
    end: int
    why: str
    parent: int | None = None


class _Fixer:
    """The rounds of one document. A number is known by where it ends in the source: a sign may come or go before it."""

    def __init__(self, checked: Checked, again: Callable[[str], Checked]) -> None:
        self.first = checked
        self.checked = checked
        self.again = again
        self.edits = Edits(checked.document.source)
        self.findings = frozenset(claim.span[1] for claim in checked.findings)
        self.whys: dict[int, str] = {}
        self.parents: dict[int, int] = {}
        self.seen: dict[int, list[str]] = {}
        self.refused: dict[int, str] = {}
        self.unsure: dict[int, tuple[Claim, str, int]] = {}
        self.lost: dict[int, Claim] = {}

    def run(self) -> Fixed:
        for _ in range(MAX_ROUNDS):
            todo = self.todo()
            if not todo:
                return self.done()
            puts = self.corrections(todo)
            corrected = {put.end: claim for put, claim in puts}
            self.put_all([put for put, _ in puts], self.restatements([claim for _, claim in puts]))
            try:
                self.verify_again()
                while self.take_back(corrected):
                    self.verify_again()
            except SymattnError as error:
                return self.nothing(f"the corrected text cannot be verified: {error}")
            self.lose()
        return self.nothing(f"the corrections come to no end in {MAX_ROUNDS} rounds")

    def verify_again(self) -> None:
        self.checked = self.again(self.edits.text())

    def lose(self) -> None:
        """Note the numbers that were right and can be judged no longer: what they came from is not what it was."""
        now = {self.end_of(claim.span) for claim in self.checked.claims if claim.right or claim.finding}
        right = {claim.span[1]: claim for claim in self.first.claims if claim.right}
        self.lost = {end: claim for end, claim in right.items() if end not in now and not self.edits.touch(end)}

    def end_of(self, span: tuple[int, int]) -> int:
        """Where in the source something of the current text ends."""
        return self.edits.back(*span)[1]

    def todo(self) -> list[Claim]:
        """The claims to correct now: those that are certain, and those that became wrong by a correction.

        Nothing is carried past a number that can be judged no longer: what follows may rest on it.
        """
        out = []
        for claim in self.checked.findings:
            end = self.end_of(claim.span)
            moved = end not in self.findings or end in self.seen
            follows = claim.expected is not None and claim.verdict in FOLLOWING
            if moved and self.is_past_lost(end):
                continue
            if ((follows and moved) or claim.certain) and end not in self.refused:
                out.append(claim)
        return out

    def is_past_lost(self, end: int) -> bool:
        """Whether a number stands behind one that can be judged no longer."""
        return end > min(self.lost, default=end)

    def corrections(self, todo: list[Claim]) -> list[tuple[_Put, Claim]]:
        """What is to be replaced for the claims; those that cannot be are refused."""
        text = self.checked.document.source
        asked: dict[int, set[str]] = {}
        for claim in todo:
            asked.setdefault(self.end_of(claim.span), set()).add(claim.expected or "")
        out: list[tuple[_Put, Claim]] = []
        reached = 0
        for claim in sorted(todo, key=lambda claim: claim.span[1]):
            end = self.end_of(claim.span)
            if any(put.end == end for put, _ in out):
                continue
            found = respell(text, claim.span, claim.text, claim.expected or "")
            if len(asked[end]) > 1:
                reason = "two readings of it ask for different numbers"
            elif isinstance(found, str):
                reason = found
            elif _is_rounded_to_a_whole_number(claim):
                reason = f"what belongs there is no whole number: {claim.decimal}"
            elif found.start < reached:
                reason = "it overlaps another correction"
            else:
                reason = self.objection(found, end)
            if reason or isinstance(found, str):
                self.refuse(end, reason)
            else:
                out.append((_Put(found.start, found.end, found.text, end, claim.message), claim))
                reached = found.end
        # a refusal puts older edits back, which moves what was found here: those are found in the next round
        return out if self.edits.text() == text else []

    def objection(self, found: Respelt, end: int) -> str:
        """Why a correction is not made, though it can be written: it changes nothing, or stood there before."""
        now = self.checked.document.source[found.start : found.end]
        if now == found.text:
            return f"{quoted(now)} stands there already"
        # an operand may be corrected before another, and take a number there and back once
        returned = self.seen.get(end, []).count(found.text) >= MAX_RETURNS
        return "two corrections undo each other" if returned else ""

    def refuse(self, end: int, reason: str) -> None:
        """Leave a number as it was, and what restates it."""
        self.refused[end] = reason
        for child in [child for child, parent in self.parents.items() if parent == end]:
            del self.parents[child]
            self.edits.drop(child)
        self.edits.drop(end)

    def put_all(self, corrections: list[_Put], restatements: list[_Put]) -> None:
        """Make the edits of a round."""
        text = self.checked.document.source
        puts = [*corrections, *restatements]
        for put in puts:
            self.seen.setdefault(put.end, [text[put.start : put.stop]]).append(put.new)
            self.whys[put.end] = put.why
            if put.parent is not None:
                self.parents[put.end] = put.parent
        self.edits.put_all((put.start, put.stop, put.new) for put in puts)

    def restatements(self, corrected: list[Claim]) -> list[_Put]:
        """What is to be replaced because it restates a corrected number further up."""
        document = self.checked.document
        text = document.source
        out = []
        unsure: dict[int, tuple[Claim, str, int]] = {}
        for literal, claim, unclear in restated(self.checked, corrected):
            end = self.end_of(claim.span)
            reason = f"the {literal.number.text} {_where(document, literal)} may restate it or another number"
            found: Respelt | str = reason
            if not unclear and _is_negative(claim.expected or "") == literal.negative:
                found = respell(text, literal.span, literal.number.text, _unsigned(claim.expected or ""))
                reason = f"what restates it {_where(document, literal)} stays: {found}"
            if isinstance(found, str):
                unsure.setdefault(end, (self.placed(claim), reason, self.end_of(literal.span)))
            else:
                why = f"restates the number of line {document.place(claim.span[0])[0]}"
                out.append(_Put(found.start, found.end, found.text, self.end_of(literal.span), why, end))
        self.unsure |= unsure
        return out

    def take_back(self, corrected: Mapping[int, Claim]) -> bool:
        """Put back what is judged wrong though it is what was expected; whether there was any."""
        again = False
        for claim in self.checked.findings:
            end = self.end_of(claim.span)
            before = corrected.get(end)
            if before is None or end in self.refused or claim.expected is None or before.expected is None:
                continue
            if value_of(claim.expected) == value_of(before.expected):
                self.refuse(end, f"as {before.expected} it would be judged {claim.verdict.value} again")
                again = True
                break  # the places of the other claims have moved
        return again

    def placed(self, claim: Claim) -> Claim:
        """A claim of the current text with its place in the original."""
        first, last, _, _ = self.edits.back(*claim.span)
        return replace(claim, place=place_of(self.first.document, first, last), span=(first, last))

    # results

    def nothing(self, reason: str) -> Fixed:
        """The document as it was."""
        certain = tuple((claim, reason) for claim in self.first.findings if claim.certain)
        return Fixed(self.first.document.source, (), certain, self.first)

    def done(self) -> Fixed:
        document = self.first.document
        changes = []
        for (start, end), new in sorted(self.edits.made.items()):
            old = document.source[start:end]
            if new != old:
                changes.append(Change(place_of(document, start, end), old, new, self.whys.get(end, "")))
        refused = []
        for claim in self.checked.findings:
            last = self.end_of(claim.span)
            refused.append((self.placed(claim), self.refused.get(last) or self.reason(claim, last)))
        refused += [(claim, why) for claim, why, literal in self.unsure.values() if not self.edits.touch(literal)]
        refused += [(claim, "after the corrections above it can be judged no longer") for claim in self.lost.values()]
        return Fixed(self.edits.text(), tuple(changes), tuple(refused), self.checked)

    def reason(self, claim: Claim, end: int) -> str:
        """Why a finding was left as it is."""
        if (end not in self.findings or end in self.seen) and self.is_past_lost(end):
            return "it may rest on a number further up that can be judged no longer"
        if end not in self.findings:
            return "it does not agree with what was corrected, and which is meant is not certain"
        if claim.expected is None:
            return "what belongs there is not certain"
        if claim.verdict is Verdict.INCONSISTENT:
            return "it contradicts what the document states itself, and which is meant is not certain"
        return "it is judged by what was given earlier, not by the numbers before it, which may be the slip"


def place_of(document: Document, start: int, end: int) -> Place:
    """Where source[start:end] stands, in lines and columns."""
    line, column = document.place(start)
    end_line, end_column = document.place(end - 1) if end > start else (line, column - 1)
    return Place(line, column, end_line, end_column + 1)


def _is_negative(expected: str) -> bool:
    value = value_of(expected)
    return value is not None and value < 0


def _unsigned(expected: str) -> str:
    """A decimal without its sign, which stands before a literal."""
    return expected.strip().lstrip("-\u2212")


def _where(document: Document, literal: Literal) -> str:
    line, column = document.place(literal.span[0])
    return f"at {line}:{column}"


def _is_rounded_to_a_whole_number(claim: Claim) -> bool:
    """Whether a wrong whole number stands for a value that is none: then it was meant otherwise."""
    if claim.verdict is not Verdict.WRONG or not re.fullmatch(r"-?\d+", claim.expected or "", re.ASCII):
        return False
    value = claim.exact or claim.decimal or ""
    return not re.fullmatch(r"-?\d*(?:\.0*)?", value, re.ASCII)
