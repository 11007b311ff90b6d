"""The judge of a document: statement by statement, each number against what it should be.

Arrives: a document. Leaves: claims and remarks. A number that follows a worked formula is judged by that formula; one
that stands for a stage of attention by what the stages before it give; one without a name by the value that fits.
What cannot be placed is undecided, never guessed into a wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from flint import fmpq

from symattn.comparison.verdicts import Verdict
from symattn.documents.formats.document import Document, Place, Region
from symattn.documents.judging.causes import STEPS, TOLD, forced_sum, of_one_cell, reproduces, slips
from symattn.documents.judging.cells import (
    Candidate,
    CellVerdict,
    Grid,
    decimals_of,
    digits_of,
    grid_of,
    has_names,
    is_entry,
    is_literal,
    is_whole,
    judged,
    laid_over,
    last,
    may_be,
    plain_value,
    substituted,
)
from symattn.documents.judging.memory import Memory, Quantity, Way
from symattn.documents.judging.predict import Predictions
from symattn.documents.judging.stages import (
    GIVEN,
    LABELS,
    PIPELINE,
    PROJECTIONS,
    WEAK,
    row_of_words,
    stage_of,
    stage_of_words,
)
from symattn.documents.judging.statements import Statement, statements
from symattn.documents.reading.tree import (
    Blank,
    Chain,
    Elided,
    Indexed,
    Matrix,
    Name,
    Node,
    Number,
    Operation,
    Product,
    Quotient,
    Text,
    Transpose,
    Unread,
    walk,
)
from symattn.documents.reading.value import Infinite, Scalar, Table, Value, apply, evaluate
from symattn.documents.report import Checked, Claim, Remark
from symattn.errors import ShapeError, UndecidedError
from symattn.numbers.certified import Decimals, rational_of
from symattn.numbers.rounding import plain_digits

EQUALITIES: Final = frozenset({"=", "≈", "≡", ":=", "→"})
MOST_CLAIMS: Final = 20_000
HALF: Final = 0.5
SHARES: Final = "exponential over sum"


@dataclass(frozen=True, slots=True)
class Part:
    """One thing of a chain, with the relation and the operation before it."""

    node: Node
    relation: str
    operation: Node | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """What a claim is about: its stage, the row where one is meant, and the name that takes the value."""

    stage: str = ""
    row: int | None = None
    names: tuple[Name | Text, ...] = ()
    inconsistent: bool = False
    entry: tuple[int, ...] | None = None
    scalar: bool = False


@dataclass
class Engine:
    """One document being judged."""

    document: Document
    decimal_comma: bool = False
    memory: Memory = field(default_factory=Memory)
    claims: list[Claim] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    decimals: Decimals = field(default_factory=lambda: Decimals(1 << 14))

    def __post_init__(self) -> None:
        self.predictions = Predictions(self.memory)

    def run(self) -> Checked:
        """The document with its claims."""
        for statement in statements(self.document, decimal_comma=self.decimal_comma):
            if len(self.claims) > MOST_CLAIMS:
                break
            self._statement(statement)
        claims = sorted(self.claims, key=lambda claim: claim.span)
        return Checked(self.document, tuple(claims), tuple(self.remarks))

    # ---- one statement -----------------------------------------------------------------------------------------

    def _statement(self, said: Statement) -> None:
        self._masks(said)
        parts = list(_parts(said.chain))
        if not parts:
            return
        for part in parts:
            if isinstance(part.node, Matrix):
                self._inner_chains(said, part.node)
            if isinstance(part.node, Unread) and not part.node.formula:
                self._unreadable(said, part.node)
        if said.given:
            self._give(said, _names(parts), parts[-1].node)
            return
        if len(parts) == 1 and parts[0].relation == "":
            if is_literal(parts[0].node):
                self._bare(said, parts[0])
            return
        if not any(is_literal(part.node) for part in parts):
            self._formula(said, parts)
        for k, part in enumerate(parts):
            if (k == 0 and part.relation == "") or part.relation not in EQUALITIES | {""}:
                continue
            if is_literal(part.node):
                self._claim(said, parts, k)
            elif isinstance(part.node, (Matrix,)) or grid_of(part.node) is not None:
                self._step(said, parts, k)
            elif isinstance(part.node, Product):
                self._inside(said, parts, k)

    def _masks(self, said: Statement) -> None:
        text = f"{' '.join(said.headings)} {said.words}"
        if stage_of_words(text) in {"masked_scores", "mask"} or "causal" in text.lower() or "因果" in text:
            self.memory.masked = True

    def _inner_chains(self, said: Statement, matrix: Matrix) -> None:
        for row in matrix.rows:
            for cell in row:
                if isinstance(cell, Chain) and cell.links:
                    self._statement(replace(said, chain=cell))

    def _unreadable(self, said: Statement, node: Unread) -> None:
        self._add(said.region, node, Verdict.UNREADABLE, f"cannot read {node.text[:60]!r}: {node.reason}")

    # ---- formulas without a result -----------------------------------------------------------------------------

    def _formula(self, said: Statement, parts: Sequence[Part]) -> None:
        """What a name stands for, and its value where that can be worked out."""
        names = [part.node for part in parts if isinstance(part.node, (Name, Text))]
        worked = [part.node for part in parts if not isinstance(part.node, (Name, Text))]
        if not names:
            return
        if worked:
            for name in names:
                self.memory.formulas[name.key] = worked[-1]
        source = worked[-1] if worked else names[-1]
        shown = self._value(source, "shown")
        if shown is None:
            return
        exact = self._value(source, "exact")
        for name in names:
            if worked or name is not names[-1]:
                if self.memory.find(name.key) is None or name.key not in self.memory.names:
                    self._bind(
                        name, Quantity(shown, exact, self._value(source, "source"), stage_of(name)), claimed=False
                    )

    def _value(self, node: Node, way: Way, extra: dict[str, Any] | None = None) -> Value | None:
        try:
            return evaluate(node, self.memory.view(way, extra))
        except (ShapeError, UndecidedError):
            return None

    # ---- claims ------------------------------------------------------------------------------------------------

    def _claim(self, said: Statement, parts: Sequence[Part], k: int) -> None:
        """The result at place k of a chain."""
        before = parts[:k]
        subject = self._subject(said, before)
        node = parts[k].node
        if _is_definition(subject, before):
            self._give(said, subject.names, node)
            return
        if self._give_transposed(said, before, node):
            return
        worked, failure = self._worked(before, parts[k])
        if failure is not None and not worked:
            self._shape(said, parts, k, subject, failure)
            return
        named_only = all(isinstance(part.node, (Name, Text)) or is_literal(part.node) for part in before)
        if not worked and named_only and self._restated(subject, node):
            return
        restated = bool(worked) and not any(isinstance(n, Matrix) for part in before for n in walk(part.node))
        candidates = [*worked, *self._predicted(subject, node, worked=bool(worked))]
        if restated and subject.stage in {"scaled_scores", "weights", "outputs"}:
            # names stand for what was displayed last: the scores as written, not Q and K anew
            candidates = [*self._as_displayed(subject.stage), *candidates]
        if not candidates:
            self._unplaced(said, parts[k], subject)
            return
        if not worked:
            fitting = self._fit(node, candidates, subject.row)
            if fitting is None or (fitting < HALF and not self._sure(subject)):
                self._unplaced(said, parts[k], subject)
                return
            if subject.stage in (*PROJECTIONS, "masked_scores"):
                subject = replace(subject, inconsistent=True)
        self._settle(said, parts[k], candidates, subject)

    def _inside(self, said: Statement, parts: Sequence[Part], k: int) -> None:
        """The matrix of 1/√d_k·[…] in the place of scaled scores: the scores, displayed on the way."""
        product = parts[k].node
        assert isinstance(product, Product)  # noqa: S101
        grids = [factor for factor in product.factors if isinstance(factor, Matrix) and is_literal(factor)]
        rest = [factor for factor in product.factors if factor not in grids]
        if len(grids) != 1 or any(isinstance(self._value(factor, "shown"), Table | None) for factor in rest):
            return
        if self._subject(said, parts[:k]).stage != "scaled_scores":
            return
        subject = Subject("scores")
        if self._restated(subject, grids[0]):
            return
        candidates = self._predicted(subject, grids[0], worked=False)
        if candidates:
            self._settle(said, Part(grids[0], parts[k].relation), candidates, subject)

    def _subject(self, said: Statement, before: Sequence[Part]) -> Subject:
        names = tuple(part.node for part in before if isinstance(part.node, (Name, Text)))
        found = [stage_of(part.node) for part in before if part.node not in names]
        found += [stage_of(name) for name in names]
        stage = next((one for one in found if one and not one.endswith("^T")), "")
        words = f"{said.words} {' '.join(n.text for n in names if isinstance(n, Text))}"
        if not stage and (not before or all(isinstance(n, Text) for n in names)):
            stage = stage_of_words(said.words)
        row, entry = None, None
        for name in names:
            if isinstance(name, Name) and name.indices:
                indices = _indices(name)
                row = self.memory.index(indices[0], 1_000_000)
                column = self.memory.index(indices[1], 1_000_000) if len(indices) > 1 else None
                entry = (row, column) if row is not None and column is not None else None
        for part in before:
            if row is None and isinstance(part.node, Indexed):
                row = self.memory.index(part.node.sub.strip("[]{} "), 1_000_000)
        if row is None:
            texts = " ".join(t.text for part in before for t in walk(part.node) if isinstance(t, Text))
            row = row_of_words(texts) if texts else None
        if row is None:
            row = row_of_words(words)
        return Subject(stage, row, names, entry=entry)

    def _worked(self, before: Sequence[Part], at: Part) -> tuple[list[Candidate], str | None]:
        """What the nearest worked thing before a result is worth: as displayed, and at full precision."""
        failure: str | None = None
        found: list[Candidate] = []
        for part in reversed(before):
            node = part.node
            if isinstance(node, (Name, Text)) and (len(before) == 1 or found):
                continue
            try:
                shown = self._carried_on(node, at, "shown", {})
            except ShapeError as error:
                failure = str(error)
                if not isinstance(node, (Name, Text)) and not found:
                    return [], failure
                continue
            except UndecidedError:
                continue
            working = self._text(node)
            found.append(Candidate(shown, "written", working))
            for tree, extra in self._exact_trees(node):
                try:
                    exact = self._carried_on(tree, at, "exact", extra)
                except (ShapeError, UndecidedError):
                    continue
                found.append(Candidate(exact, "givens", working))
        return found, None if found else failure

    def _carried_on(self, node: Node, at: Part, way: Way, extra: dict[str, Any]) -> Value:
        view = self.memory.view(way, extra)
        value = evaluate(node, view)
        if isinstance(at.operation, Operation):
            return apply(at.operation, value, view)
        return value

    def _exact_trees(self, node: Node) -> Iterator[tuple[Node, dict[str, Any]]]:
        """The formula with restated numbers at full precision: the nearest with the same digits first."""
        found = {
            part.text: self.memory.numbers[part.text]
            for part in walk(node)
            if isinstance(part, Number) and part.text in self.memory.numbers
        }
        told = False
        for back in range(min(3, max((len(each) for each in found.values()), default=0))):
            extra: dict[str, Any] = {}

            def put(number: Number, back: int = back, extra: dict[str, Any] = extra) -> Node | None:
                known = found.get(number.text)
                if known is None:
                    return None
                quantity = known[max(0, len(known) - 1 - back)]
                if quantity.exact is None or isinstance(quantity.exact, Table):
                    return None
                key = f"\u00a7{number.start}"
                extra[key] = quantity.exact
                return Name(number.start, number.end, key)

            tree = substituted(node, put)
            if extra:
                told = True
                yield tree, extra
        if not told:
            yield node, {}

    def _predicted(self, subject: Subject, node: Node, *, worked: bool) -> list[Candidate]:
        """What the stages before give for a stage, or a formula that the document states for a name."""
        found: list[Candidate] = []
        memory, predictions = self.memory, self.predictions
        for name in subject.names if not worked else ():
            formula = memory.formulas.get(name.key)
            if formula is not None:
                for way in ("shown", "exact"):
                    value = self._value(formula, way)  # type: ignore[arg-type]
                    if value is not None:
                        found.append(Candidate(value, "written" if way == "shown" else "givens", self._text(formula)))
        stage = subject.stage
        if stage == "row_sums":
            return found + ([] if worked else self._sums())
        if stage == "weights":
            found += self._shares(node) if not worked else []
            if found and found[0].working == SHARES:
                exact = predictions.stage(stage, "exact", anew=True)
                return found + ([] if exact is None else [Candidate(exact, "givens", _formula_of(stage))])
        if stage not in (*PIPELINE, "exponentials", "shifted"):
            return found
        if stage == "exponentials" and memory.input is not None and not worked:
            for way, route in (("shown", "written"), ("exact", "givens")):
                value = self._exponential(memory.input.way(way))  # type: ignore[arg-type]
                if value is not None:
                    found.append(Candidate(value, route, "e to the power of the row"))  # type: ignore[arg-type]
        if not worked:
            rows = memory.rows.get(stage, {})
            known = memory.stages.get(stage)
            if known is not None and not rows and stage not in PROJECTIONS:
                found.append(Candidate(known.shown, "written", LABELS.get(stage, stage)))
            for root in (*reversed([r for r, _ in memory.roots]), None):
                value = predictions.stage(stage, "shown", root, anew=True)
                if value is not None and stage == "weights":
                    value = self._with_sums(value)
                if value is not None:
                    found.append(Candidate(value, "written", _formula_of(stage), approximate=root is not None))
        exact = predictions.stage(stage, "exact", anew=True)
        if exact is not None:
            found.append(Candidate(exact, "givens", _formula_of(stage)))
        if stage in {"weights", "outputs"} and not worked:
            found += self._unmasked(stage)
        return found

    @staticmethod
    def _exponential(value: Value) -> Value | None:
        from symattn.documents.judging.predict import exponential

        return exponential(value)

    def _as_displayed(self, stage: str) -> list[Candidate]:
        """A stage from the one displayed before it."""
        value = self.predictions.stage(stage, "shown", anew=True)
        return [] if value is None else [Candidate(value, "written", _formula_of(stage))]

    def _unmasked(self, stage: str) -> list[Candidate]:
        """The same stage with the mask the other way: it may be meant."""
        memory = self.memory
        before = memory.masked
        memory.masked = not before
        memory.version += 1
        try:
            values = [self.predictions.stage(stage, way, anew=True) for way in ("shown", "exact")]  # type: ignore[arg-type]
        finally:
            memory.masked = before
            memory.version += 1
        routes: Any = ("written", "givens")
        return [Candidate(v, r, _formula_of(stage)) for v, r in zip(values, routes, strict=True) if v is not None]

    def _sums(self) -> list[Candidate]:
        """What a row sum may be: of the exponentials displayed last, or of a row of them."""
        memory = self.memory
        found: list[Candidate] = []
        shown = [q.shown for q in memory.exponentials]
        for way, route in (("shown", "written"), ("exact", "givens")):
            values = [q.way(way) for q in memory.exponentials]  # type: ignore[arg-type]
            total = _added(values)
            if total is not None:
                found.append(Candidate(total, route, "the sum of the exponentials"))  # type: ignore[arg-type]
        if len(shown) == 1:
            keys = memory.stages.get("K") or memory.stages.get("scores")
            if keys is not None and isinstance(keys.shown, Table):
                n = keys.shown.shape[0]
                values = [q for q in [memory.exponentials[0].shown] * n]
                total = _added(values)
                if total is not None:
                    found.append(Candidate(total, "written", f"{n} times the exponential"))
        for way, route in (("shown", "written"), ("exact", "givens")):
            table = self.predictions.stage("exponentials", way, anew=True)  # type: ignore[arg-type]
            for row in table.rows if table is not None else ():
                total = _added(row)
                if total is not None:
                    found.append(Candidate(total, route, "the sum of a row"))  # type: ignore[arg-type]
        return found

    def _with_sums(self, table: Table) -> Table:
        """Weights, the rows whose exponentials and sum are displayed by those."""
        rows = list(table.rows)
        for i, (exponentials, total) in self.memory.sums.items():
            if i < len(rows) and len(exponentials) == len(rows[i]):
                shares = _over([q.shown for q in exponentials], total.shown)
                rows[i] = shares if shares is not None else rows[i]
        return Table(tuple(rows))

    def _shares(self, node: Node) -> list[Candidate]:
        """The exponentials displayed last over their sum."""
        memory = self.memory
        laid = grid_of(node)
        if laid is None or len(laid[0]) != 1 or len(laid[0][0]) != len(memory.exponentials):
            return []
        found = []
        for way, route in (("shown", "written"), ("exact", "givens")):
            values = [q.way(way) for q in memory.exponentials]  # type: ignore[arg-type]
            total = memory.total.way(way) if memory.total is not None else _added(values)  # type: ignore[arg-type]
            shares = _over(values, total)
            if shares is not None:
                found.append(Candidate(Table((shares,), flat=True), route, SHARES))  # type: ignore[arg-type]
        return found

    # ---- numbers without a name --------------------------------------------------------------------------------

    def _bare(self, said: Statement, part: Part) -> None:
        """A value that stands alone: a restatement, the input of the next step, a result, or a given."""
        node = part.node
        laid = grid_of(node)
        if laid is None:
            return
        grid, _ = laid
        if all(isinstance(last(cell), (Blank, Elided)) for row in grid for cell in row):
            return
        size = len(grid) * len(grid[0])
        hint = stage_of_words(said.words)
        subject = Subject(hint, row_of_words(said.words))
        if size == 1 and (len(grid[0]) == 1 and not isinstance(node, Matrix)):
            if hint == "row_sums" and self.memory.exponentials:
                self._placed(said, part, subject, self._sums())
            elif hint == "outputs" and part.relation == "" and not self._restated(replace(subject, stage=""), node):
                self._by_value(said, part, subject, sure=False)
            return
        if self._restated(replace(subject, stage=""), node) or self._by_value(said, part, subject, sure=False):
            return
        value = self._value(node, "shown")
        if isinstance(value, Table):
            quantity = Quantity(value, value, None, hint)
            if value.flat:
                self.memory.input = quantity
            if hint in (*GIVEN, *PIPELINE) and hint not in self.memory.stages:
                self.memory.place(hint, quantity)

    def _give_transposed(self, said: Statement, before: Sequence[Part], node: Node) -> bool:
        """Kᵀ = ... where K is not known: K is what is turned."""
        if len(before) != 1 or not isinstance(before[0].node, Transpose) or not isinstance(before[0].node.inner, Name):
            return False
        if self.memory.find(before[0].node.inner.key) is not None:
            return False
        self._give(said, (before[0].node.inner,), Transpose(node.start, node.end, node))
        return True

    def _unplaced(self, said: Statement, part: Part, subject: Subject) -> None:
        """A result without a prediction: a given, or placed by the value that fits."""
        node = part.node
        if subject.stage in (*GIVEN, *PROJECTIONS, "d_k"):
            self._give(said, subject.names, node)
            return
        if self._by_value(said, part, subject, sure=bool(subject.names)):
            return
        if subject.names:
            self._give(said, subject.names, node)

    def _by_value(self, said: Statement, part: Part, subject: Subject, *, sure: bool) -> bool:
        """Judge a value by the stage that it fits best; whether one was found."""
        best: tuple[float, Subject, list[Candidate]] | None = None
        stages = [subject.stage] if subject.stage in PIPELINE else []
        stages += [stage for stage in (*reversed(PIPELINE), "exponentials") if stage not in stages]
        for stage in stages:
            placed = replace(subject, stage=stage)
            candidates = self._predicted(placed, part.node, worked=False)
            score = self._fit(part.node, candidates, subject.row)
            if score is None and subject.row is not None:
                score = self._fit(part.node, candidates, None)
            if score is not None and (best is None or score > best[0]):
                best = score, placed, candidates
        if best is None or best[0] < (0.5 if sure else 0.6):
            return False
        self._settle(said, part, best[2], best[1])
        return True

    def _placed(self, said: Statement, part: Part, subject: Subject, candidates: list[Candidate]) -> None:
        if candidates:
            self._settle(said, part, candidates, subject)

    def _sure(self, subject: Subject) -> bool:
        """Whether a name or a formula says for certain what a value is."""
        return subject.stage in (*PIPELINE, "row_sums", "exponentials") and any(
            stage_of(name) == subject.stage and not (isinstance(name, Name) and name.base.lower() in WEAK)
            for name in subject.names
        )

    def _restated(self, subject: Subject, node: Node) -> bool:
        """Whether a value stands in the document already, with the same digits or exactly."""
        laid = grid_of(node)
        if laid is None:
            return False
        grid, flat = laid
        texts = tuple(tuple(_signed_text(last(cell)) for cell in row) for row in grid)
        for quantity in self._everything():
            if subject.stage not in {"", quantity.stage}:
                continue
            for rows, _ in laid_over(quantity.shown, grid, flat=flat):
                if all(
                    _same_number(last(cell), value)
                    for row, values in zip(grid, rows, strict=True)
                    for cell, value in zip(row, values, strict=True)
                ):
                    self._rename(subject, quantity)
                    if flat and len(grid[0]) > 1:
                        self.memory.input = Quantity(Table(rows, flat=True), None, None, quantity.stage)
                    return True
        return texts == ()

    def _rename(self, subject: Subject, quantity: Quantity) -> None:
        for name in subject.names:
            if name.key not in self.memory.names:
                self.memory.bind(name.key, quantity)

    def _everything(self) -> Iterator[Quantity]:
        memory = self.memory
        for rows in memory.rows.values():
            yield from rows.values()
        yield from memory.names.values()
        yield from memory.stages.values()

    def _fit(self, node: Node, candidates: Sequence[Candidate], row: int | None) -> float | None:
        """The share of the cells that some candidate makes right, None where none has the shape."""
        laid = grid_of(node)
        if laid is None:
            return None
        candidates = _alike([c for c in candidates if laid_over(c.value, laid[0], flat=laid[1])])
        best: float | None = None
        for rows, _ in self._aligned(laid, candidates, row):
            cells = [(last(c), [g[i][j] for g in rows]) for i, r in enumerate(laid[0]) for j, c in enumerate(r)]
            told = [(cell, values) for cell, values in cells if not isinstance(cell, (Blank, Elided))]
            if not told:
                continue
            right = sum(judged(cell, candidates[: len(values)], values, self.decimals).right for cell, values in told)
            score = right / len(told)
            best = score if best is None or score > best else best
        return best

    def _aligned(
        self, laid: tuple[Grid, bool], candidates: Sequence[Candidate], row: int | None
    ) -> Iterator[tuple[list[tuple[tuple[Scalar, ...], ...]], int | None]]:
        """The values of all candidates over the cells, for each row that may be meant."""
        grid, flat = laid
        ways = [laid_over(candidate.value, grid, flat=flat) for candidate in candidates]
        rows = {i for way in ways for _, i in way}
        for i in sorted(rows, key=lambda i: -1 if i is None else i):
            if i is not None and row is not None and i != row:
                continue
            found = [next((values for values, k in way if k in {i, None}), None) for way in ways]
            kept = [values for values in found if values is not None]
            if len(kept) == len(found):
                yield kept, i

    # ---- settling ----------------------------------------------------------------------------------------------

    def _settle(self, said: Statement, part: Part, candidates: list[Candidate], subject: Subject) -> None:
        """Judge every cell, and remember what was written."""
        laid = grid_of(part.node)
        assert laid is not None  # noqa: S101
        grid, flat = laid
        usable = [c for c in candidates if laid_over(c.value, grid, flat=flat)]
        if not usable:
            if candidates and candidates[0].route == "written" and isinstance(candidates[0].value, Table):
                self._shape_of(said, part, candidates[0], subject)
            else:
                self._give(said, subject.names, part.node)
            return
        choices = list(self._aligned(laid, usable, subject.row)) or list(self._aligned(laid, usable, None))
        if not choices:
            usable = _alike(usable)
            choices = list(self._aligned(laid, usable, subject.row)) or list(self._aligned(laid, usable, None))
        if not choices:
            return
        verdicts = [(self._verdicts(grid, usable, values), values, i) for values, i in choices]
        found, values, row = max(verdicts, key=lambda item: sum(v is not None and v.right for r in item[0] for v in r))
        if row is None:
            row = subject.row
        self._record(said, part, laid, usable, found, values, replace(subject, row=row))

    def _verdicts(
        self, grid: Grid, candidates: Sequence[Candidate], values: Sequence[Any]
    ) -> list[list[CellVerdict | None]]:
        out: list[list[CellVerdict | None]] = []
        for i, row in enumerate(grid):
            told: list[CellVerdict | None] = []
            for j, cell in enumerate(row):
                inner = last(cell)
                if isinstance(inner, (Blank, Elided)) or isinstance(cell, Chain):
                    told.append(None)
                else:
                    told.append(judged(inner, candidates, [grid_[i][j] for grid_ in values], self.decimals))
            out.append(told)
        return out

    def _record(
        self,
        said: Statement,
        part: Part,
        laid: tuple[Grid, bool],
        candidates: Sequence[Candidate],
        verdicts: list[list[CellVerdict | None]],
        values: Sequence[Any],
        subject: Subject,
    ) -> None:
        grid, flat = laid
        first_claim = len(self.claims)
        single = len(grid) == 1 and flat
        subject = replace(subject, scalar=single and len(grid[0]) == 1)
        exact_at = next((k for k, c in enumerate(candidates) if c.route == "givens"), None)
        source = self._source(subject, grid, single=single)
        origins: dict[tuple[int, ...], Place] = {}
        known = self._known_row(subject) if single else self.memory.stages.get(subject.stage)
        shown_rows: list[tuple[Scalar, ...]] = []
        exact_rows: list[tuple[Scalar, ...]] = []
        for i, row in enumerate(grid):
            shown_row: list[Scalar] = []
            exact_row: list[Scalar] = []
            for j, cell in enumerate(row):
                found = verdicts[i][j]
                inner = last(cell)
                shown = self._literal(inner)
                exact = values[exact_at][i][j] if exact_at is not None else (found.value if found else shown)
                if found is not None and not found.right and digits_of(inner) is not None and is_whole(shown):
                    exact = shown  # a whole number is stated exactly, whatever is wrong with it
                shown_row.append(shown)
                exact_row.append(exact)
                if found is None or self._repeats(known, grid, i, j, inner, subject, single=single):
                    continue
                place = self._entry_place(subject, i, j, single=single)
                there = source[i][j] if source is not None else None
                claim = self._cell_claim(said, part, inner, found, subject, place, exact, there)
                if claim is not None and claim.finding:
                    origins[(i, j)] = claim.place
                if isinstance(inner, Number):
                    self.memory.remember(inner.text, Quantity(shown, exact, there, claimed=True))
            shown_rows.append(tuple(shown_row))
            exact_rows.append(tuple(exact_row))
        self._explain(said, laid, verdicts, values, subject, first_claim)
        self._keep(subject, part.node, tuple(shown_rows), tuple(exact_rows), source, origins, flat=flat)

    def _explain(
        self,
        said: Statement,
        laid: tuple[Grid, bool],
        verdicts: list[list[CellVerdict | None]],
        values: Sequence[Any],
        subject: Subject,
        first: int,
    ) -> None:
        """Name the slip behind the findings of one table."""
        grid, _ = laid
        wrong = [
            (i, j)
            for i, row in enumerate(verdicts)
            for j, v in enumerate(row)
            if v is not None and not v.right and v.verdict is not Verdict.UNDECIDED
        ]
        if not wrong or not any(claim.finding for claim in self.claims[first:]):
            return
        cause = self._slip(grid, verdicts, values, wrong, subject)
        if not cause:
            return
        step = cause in STEPS and bool(subject.names or said.chain.links) and subject.stage in PIPELINE
        root: Place | None = None
        for k in range(first, len(self.claims)):
            claim = self.claims[k]
            if claim.finding:
                verdict = Verdict.WRONG_STEP if step else claim.verdict
                message = f"{claim.message}: {TOLD[cause]}"
                self.claims[k] = replace(claim, verdict=verdict, cause=cause, message=message, root_cause=root)
                root = root or claim.place

    def _slip(
        self,
        grid: Grid,
        verdicts: list[list[CellVerdict | None]],
        values: Sequence[Any],
        wrong: list[tuple[int, int]],
        subject: Subject,
    ) -> str:
        if subject.stage == "weights":
            units = [v.verdict for i, j in wrong if (v := verdicts[i][j]) is not None]
            if set(units) == {Verdict.LAST_DIGIT} and all(self._forced(grid, verdicts, wrong, i) for i, _ in wrong):
                return "forced_sum"
        rows = sorted({i for i, _ in wrong})
        if subject.stage in PIPELINE:
            shaped = Table(values[0])
            height = self._height(subject.stage) or 0
            for cause, table in slips(subject.stage, self.memory, self.predictions, shaped):
                if table is None:
                    continue
                if reproduces(grid, rows, table, self.decimals):
                    return cause
                if len(grid) == 1 and subject.row is not None and subject.row < len(table.rows) == height:
                    if reproduces(grid, [0], Table((table.rows[subject.row],)), self.decimals):
                        return cause
        if len(wrong) == 2:
            (a, b), (c, d) = wrong
            left, right = verdicts[a][b], verdicts[c][d]
            texts = [getattr(last(grid[i][j]), "text", "") for i, j in wrong]
            if left is not None and right is not None and [left.expected, right.expected] == texts[::-1]:
                return "swapped_cells"
        if len(wrong) == 1:
            i, j = wrong[0]
            digits = digits_of(last(grid[i][j]))
            if digits is not None:
                return of_one_cell(digits, values[0][i][j], (), self.decimals)
        return ""

    @staticmethod
    def _forced(grid: Grid, verdicts: list[list[CellVerdict | None]], wrong: list[tuple[int, int]], i: int) -> bool:
        told = [v.expected if v is not None else None for v in verdicts[i]]
        expected = [plain_digits(text) if text is not None else None for text in told]
        return forced_sum([digits_of(last(c)) for c in grid[i]], [j for k, j in wrong if k == i], expected)

    def _row_stands(self, row: Sequence[Node], subject: Subject) -> bool:
        """Whether a row of a matrix repeats a row of its stage that was written by itself."""
        for known in self.memory.rows.get(subject.stage, {}).values():
            if known.claimed and isinstance(known.shown, Table) and known.shown.shape[1] == len(row):
                if all(_same_number(last(c), v) for c, v in zip(row, known.shown.rows[0], strict=True)):
                    return True
        return False

    def _repeats(
        self, known: Quantity | None, grid: Grid, i: int, j: int, cell: Node, subject: Subject, *, single: bool
    ) -> bool:
        """Whether a cell only repeats what its stage says already."""
        if not single and self._row_stands(grid[i], subject):
            return True
        if known is None or not known.claimed or not isinstance(known.shown, Table):
            return False
        rows = known.shown.rows
        if known.shown.shape != (len(grid), len(grid[0])):
            return False
        return _same_number(cell, rows[i][j])

    def _known_row(self, subject: Subject) -> Quantity | None:
        if subject.row is None:
            return None
        found = self.memory.rows.get(subject.stage, {}).get(subject.row)
        if found is not None:
            return found
        whole = self.memory.stages.get(subject.stage)
        if whole is None or not isinstance(whole.shown, Table) or subject.row >= len(whole.shown.rows):
            return None
        return replace(whole, shown=Table((whole.shown.rows[subject.row],), flat=True), exact=None, source=None)

    def _entry_place(self, subject: Subject, i: int, j: int, *, single: bool) -> tuple[int, ...]:
        if subject.entry is not None:
            return subject.entry
        if subject.scalar or subject.stage in {"row_sums", "root"}:
            return (subject.row,) if subject.row is not None and subject.stage == "row_sums" else ()
        return (subject.row if subject.row is not None else 0, j) if single else (i, j)

    def _source(self, subject: Subject, grid: Grid, *, single: bool) -> Any:
        """The values of the definitions over the cells."""
        if subject.stage not in PIPELINE:
            return None
        table = self.predictions.stage(subject.stage, "source", anew=True)
        if table is None:
            return None
        if single:
            if subject.row is None or subject.row >= len(table.rows) or len(table.rows[0]) != len(grid[0]):
                return None
            return (table.rows[subject.row],)
        return table.rows if table.shape == (len(grid), len(grid[0])) else None

    def _cell_claim(
        self,
        said: Statement,
        part: Part,
        cell: Node,
        found: CellVerdict,
        subject: Subject,
        place: tuple[int, ...],
        exact: Scalar,
        source: Scalar | None,
    ) -> Claim | None:
        digits = digits_of(cell)
        verdict = found.verdict
        if subject.inconsistent and not found.right and verdict is not Verdict.UNDECIDED:
            verdict = Verdict.INCONSISTENT
        text = said.region.text[cell.start : cell.end]
        decimal = decimals_of(found.value)
        from_givens = self._rounded(exact, digits)
        from_source = self._rounded(source, digits)
        carried = None
        origin = None
        if found.right and from_source is not None and from_source != found.expected:
            origin = self._origin(subject, place)
            carried = "inherited" if origin is not None else "early_rounding"
        elif found.right and found.candidate.route == "written" and from_givens is not None:
            if from_givens != found.expected:
                carried = "stated_approximation" if self._approximated(found) else "early_rounding"
        notes: tuple[str, ...] = ()
        if part.relation == "=" and verdict is Verdict.ROUNDED and digits is not None and digits.places <= 0:
            notes = ("equals_for_rounded",)
        return self._add(
            said.region,
            cell,
            verdict,
            _message(found, text, decimal),
            label=_label(subject.stage, place),
            stage="" if subject.stage in {"d_k"} else subject.stage,
            relation=part.relation or "=",
            route=found.candidate.route,
            expected=found.expected,
            exact=plain_value(found.value),
            decimal=decimal,
            working=found.candidate.working,
            from_givens=from_givens,
            from_definitions=from_source,
            carried=carried,
            origin=origin,
            tie=found.tie,
            notes=notes,
        )

    def _approximated(self, found: CellVerdict) -> bool:
        return found.candidate.approximate or any(text in found.candidate.working for _, text in self.memory.roots)

    def _origin(self, subject: Subject, place: tuple[int, ...]) -> Place | None:
        """The first finding that an entry was computed from."""
        order = PIPELINE[: PIPELINE.index(subject.stage)] if subject.stage in PIPELINE else ()
        row = place[0] if place else None
        for stage in order:
            quantity = self.memory.stages.get(stage)
            for at, where in sorted(quantity.origins.items()) if quantity is not None else ():
                if stage in {"K", "V"} or row is None or at[0] == row:
                    return where
        return None

    def _rounded(self, value: Scalar | None, digits: Any) -> str | None:
        if value is None or digits is None or isinstance(value, Infinite):
            return None
        try:
            return self.decimals.round(value, digits.places).text
        except UndecidedError:
            return None

    def _keep(
        self,
        subject: Subject,
        node: Node,
        shown: tuple[tuple[Scalar, ...], ...],
        exact: tuple[tuple[Scalar, ...], ...],
        source: Any,
        origins: dict[tuple[int, ...], Place],
        *,
        flat: bool,
    ) -> None:
        """Remember a value under its names, its stage and its row."""
        scalar = flat and len(shown) == 1 and len(shown[0]) == 1
        if scalar:
            quantity = Quantity(shown[0][0], exact[0][0], None, subject.stage, claimed=True, origins=origins)
        else:
            rows = Table(tuple(tuple(r) for r in source)) if source is not None else None
            if subject.inconsistent:
                exact = shown  # what is given goes on
            quantity = Quantity(
                Table(shown, flat=flat), Table(exact, flat=flat), rows, subject.stage, claimed=True, origins=origins
            )
        for name in subject.names:
            self.memory.bind(name.key, quantity)
        memory, stage = self.memory, subject.stage
        if flat and not scalar and stage in {"scaled_scores", "masked_scores", "shifted", ""}:
            memory.input = quantity
        if scalar:
            if stage == "exponentials":
                if memory.total is not None:  # the next row has begun
                    memory.exponentials, memory.total = [], None
                memory.exponentials.append(quantity)
            elif stage == "row_sums":
                memory.total = quantity
                row = subject.row if subject.row is not None else len(memory.sums)
                memory.sums[row] = (tuple(memory.exponentials), quantity)
            elif stage == "root" and isinstance(quantity.shown, fmpq):
                memory.roots.append((quantity.shown, str(node.start)))
            return
        if stage == "exponentials":
            memory.exponentials = [Quantity(s, e, None, stage) for s, e in zip(shown[0], exact[0], strict=True)]
            memory.total = None
            return
        if stage in PIPELINE:
            if flat and (self._height(stage) or 2) > 1 and subject.row is not None:
                size = self._height(stage) or 0
                memory.place_row(stage, subject.row, quantity, size)
            elif self._is_whole(stage, shown, flat=flat):
                memory.place(stage, quantity)
            elif not flat and len(shown[0]) == 1 and subject.row is not None:  # a row written as a column
                turned = replace(quantity, shown=_turned(quantity.shown), exact=_turned(quantity.exact), source=None)
                memory.place_row(stage, subject.row, turned, self._height(stage) or 0)
            if stage in {"weights", "outputs"}:
                memory.exponentials, memory.total = [], None
                if stage == "weights":
                    self._row_sums(quantity)

    def _is_whole(self, stage: str, rows: Sequence[Sequence[Any]], *, flat: bool) -> bool:
        """Whether rows have the shape of their stage, as far as that is known."""
        height, values = self._height(stage) or 0, self.memory.stages.get("V")
        width = height
        if stage in {*PROJECTIONS, "outputs"}:
            known = isinstance(values, Quantity) and isinstance(values.shown, Table) and stage == "outputs"
            width = values.shown.shape[1] if known and values is not None else 0  # type: ignore[union-attr]
        fits = height in {0, len(rows)} and width in {0, len(rows[0])}
        return fits and (not flat or height == 1)

    def _height(self, stage: str) -> int | None:
        """How many rows a stage has, as far as that is known."""
        for other in ("scores", "Q", "X", "weights") if stage not in {"K", "V"} else ("K", "X"):
            found = self.memory.stages.get(other)
            if found is not None and isinstance(found.shown, Table):
                return found.shown.shape[0]
        return None

    def _row_sums(self, quantity: Quantity) -> None:
        """Rows of weights that do not sum to 1 by more than rounding explains are told by the caller's remarks."""

    def _literal(self, node: Node) -> Scalar:
        try:
            value = evaluate(node, {})
        except (ShapeError, UndecidedError):
            return fmpq(0)
        return fmpq(0) if isinstance(value, Table) else value

    # ---- givens, shapes, steps ---------------------------------------------------------------------------------

    def _give(self, said: Statement, names: Sequence[Name | Text], node: Node) -> None:
        """A value that the document gives."""
        try:
            value = evaluate(node, {})
        except (ShapeError, UndecidedError):
            return
        inner = node
        if isinstance(inner, Matrix) and inner.labels:
            self.memory.labels = tuple(label.key for label in inner.labels)
        for name in names:
            stage = stage_of(name)
            self._bind(name, Quantity(value, value, None, stage), claimed=False)

    def _bind(self, name: Name | Text, quantity: Quantity, *, claimed: bool) -> None:
        self.memory.bind(name.key, replace(quantity, claimed=claimed))
        stage = quantity.stage
        if stage == "d_k":
            self.memory.bind("d_k", quantity)
            return
        if stage not in (*GIVEN, *PIPELINE) or not isinstance(quantity.shown, Table):
            return
        row = self.memory.index(name.indices[0], 1_000_000) if isinstance(name, Name) and name.indices else None
        if stage in GIVEN and stage != "X":
            row = None
        if quantity.shown.flat and row is not None:
            self.memory.place_row(stage, row, quantity, 0)
        else:
            self.memory.place(stage, replace(quantity, claimed=claimed))

    def _shape(self, said: Statement, parts: Sequence[Part], k: int, subject: Subject, failure: str) -> None:
        elementwise = subject.stage == "outputs" and self._elementwise(parts[k - 1].node, parts[k].node)
        self._add(
            said.region,
            parts[k].node,
            Verdict.WRONG_STEP if elementwise else Verdict.SHAPE,
            "entries were multiplied one by one, which is no weighted sum: " + failure if elementwise else failure,
            label=_label(subject.stage, ()),
            stage=subject.stage,
            relation=parts[k].relation or "=",
            route="written",
        )
        self._give(said, subject.names, parts[k].node)
        self._stand(subject.stage, parts[k].node)

    def _elementwise(self, node: Node, result: Node) -> bool:
        """Whether a result is the product of two tables entry by entry."""
        if not isinstance(node, Product) or len(node.factors) != 2:
            return False
        found = [self._value(factor, "shown") for factor in (*node.factors, result)]
        tables = [value for value in found if isinstance(value, Table)]
        if len(tables) != 3 or len({table.shape for table in tables}) != 1:
            return False
        cells = zip(*(sum(table.rows, ()) for table in tables), strict=True)
        known = [tuple(map(rational_of, cell)) for cell in cells]
        equal = [a is not None and b is not None and a * b == c for a, b, c in known]
        return sum(equal) * 2 > len(equal)

    def _stand(self, stage: str, node: Node) -> None:
        """What is written stands for its stage, whatever was wrong with it: later steps go on from there."""
        value = self._value(node, "shown")
        if stage in PIPELINE and isinstance(value, Table):
            self.memory.place(stage, Quantity(value, value, None, stage, claimed=True))

    def _shape_of(self, said: Statement, part: Part, candidate: Candidate, subject: Subject) -> None:
        laid = grid_of(part.node)
        assert laid is not None  # noqa: S101
        found = f"{len(laid[0])}x{len(laid[0][0])}"
        message = f"{candidate.working} is {_shape(candidate.value)}, but what is written is {found}"
        self._add(
            said.region,
            part.node,
            Verdict.SHAPE,
            message,
            label=_label(subject.stage, ()),
            stage=subject.stage,
            relation=part.relation or "=",
            route="written",
            working=candidate.working,
        )
        self._give(said, subject.names, part.node)
        self._stand(subject.stage, part.node)

    def _step(self, said: Statement, parts: Sequence[Part], k: int) -> None:
        """A worked matrix in the place of a result: each cell must be able to stand for what it should be."""
        node = parts[k].node
        laid = grid_of(node)
        if laid is None or has_names(node):
            return
        subject = self._subject(said, parts[:k])
        self._roots_used(said, node, subject)
        candidates, _ = self._worked(parts[:k], parts[k])
        candidates += self._predicted(subject, node, worked=False)
        usable = [c for c in candidates if laid_over(c.value, laid[0], flat=laid[1])]
        if not usable or subject.stage not in PIPELINE:
            return
        for values, _ in self._aligned(laid, usable, subject.row):
            if all(
                any(may_be(last(cell), grid[i][j]) for grid in values)
                for i, row in enumerate(laid[0])
                for j, cell in enumerate(row)
                if not isinstance(last(cell), (Blank, Elided))
            ):
                return
        if all(is_entry(last(cell)) for row in laid[0] for cell in row):
            return
        first = usable[0]
        cause = self._ratio_of_scores(laid[0], subject)
        self._add(
            said.region,
            node,
            Verdict.WRONG_STEP,
            f"this is not {first.working}" + (f": {TOLD[cause]}" if cause else ""),
            cause=cause or None,
            label=_label(subject.stage, ()),
            stage=subject.stage,
            relation=parts[k].relation or "=",
            route=first.route,
            working=first.working,
        )

    def _ratio_of_scores(self, grid: Grid, subject: Subject) -> str:
        """Whether each cell is a score over one number."""
        if subject.stage != "weights":
            return ""
        cells = [last(cell) for row in grid for cell in row]
        if not all(isinstance(cell, Quotient) for cell in cells):
            return ""
        above = tuple(self._value(cell.above, "shown") for cell in cells if isinstance(cell, Quotient))
        for stage in ("scores", "scaled_scores"):
            table = self.predictions.stage(stage, "shown")
            if table is not None and above == tuple(x for row in table.rows for x in row):
                return "softmax_as_ratio"
        return ""

    def _roots_used(self, said: Statement, node: Node, subject: Subject) -> None:
        """A decimal that all cells are divided by is what the author takes for the root."""
        if subject.stage != "scaled_scores":
            return
        below = {
            part.below.text: part.below
            for part in walk(node)
            if isinstance(part, Quotient) and isinstance(part.below, Number)
        }
        if len(below) != 1:
            return
        (number,) = below.values()
        if number.digits is None or number.digits.places <= 0:
            return
        before = [value for value, _ in self.memory.roots]
        if number.value not in before:
            if before:
                place = self._place(said.region, number)
                told = number.text, str(decimals_of(before[-1], 4)).rstrip("0")
                self.remarks.append(Remark(place, "constant", f"{told[0]} is taken for a root first written {told[1]}"))
            self.memory.roots.append((number.value, number.text))

    # ---- records -----------------------------------------------------------------------------------------------

    def _text(self, node: Node) -> str:
        return _spelt(node)

    def _place(self, region: Region, node: Node) -> Place:
        return self.document.locate(region, node.start, node.end)

    def _add(self, region: Region, node: Node, verdict: Verdict, message: str, **more: Any) -> Claim:
        claim = Claim(
            self._place(region, node),
            region.offsets.span(node.start, node.end),
            region.text[node.start : node.end],
            verdict,
            message,
            **more,
        )
        self.claims.append(claim)
        return claim


def _parts(chain: Chain) -> Iterator[Part]:
    if chain.first is not None:
        yield Part(chain.first, "")
    for link in chain.links:
        yield Part(link.item, link.relation, link.operation)


def _names(parts: Sequence[Part]) -> tuple[Name | Text, ...]:
    return tuple(part.node for part in parts if isinstance(part.node, (Name, Text)))


def _is_definition(subject: Subject, before: Sequence[Part]) -> bool:
    """Whether names of what is always given stand alone before a value."""
    return bool(subject.names) and len(subject.names) == len(before) and subject.stage in {*GIVEN, "d_k", "mask"}


def _indices(name: Name) -> tuple[str, ...]:
    """The row and the column of S_{2,1} and of S_{11}."""
    indices = name.indices
    if len(indices) == 1 and len(indices[0]) == 2 and indices[0].isdigit() and "0" not in indices[0]:
        return indices[0][0], indices[0][1]
    return indices


def _same_number(cell: Node, value: Any) -> bool:
    try:
        found = evaluate(cell, {})
    except (ShapeError, UndecidedError):
        return False
    return bool(not isinstance(found, Table) and found == value)


def _signed_text(node: Node) -> str:
    return getattr(node, "text", "")


def _shape(value: Value) -> str:
    return f"{value.shape[0]}x{value.shape[1]}" if isinstance(value, Table) else "1x1"


def _turned(value: Value | None) -> Any:
    return Table(tuple(zip(*value.rows, strict=True)), flat=True) if isinstance(value, Table) else value


def _alike(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Of candidates that are whole tables and rows those of the first one's shape."""
    return [c for c in candidates if _shape(c.value) == _shape(candidates[0].value)]


def _added(values: Sequence[Any]) -> Scalar | None:
    from symattn.documents.reading.value import _plus

    if not values or any(isinstance(value, Table) for value in values):
        return None
    total = values[0]
    try:
        for value in values[1:]:
            total = _plus(total, value)
    except UndecidedError:
        return None
    return total


def _over(values: Sequence[Any], total: Any) -> tuple[Scalar, ...] | None:
    from symattn.documents.reading.value import _over as over

    if total is None or not values or any(isinstance(value, Table) for value in (*values, total)):
        return None
    try:
        return tuple(over(value, total) for value in values)
    except UndecidedError:
        return None


def _formula_of(stage: str) -> str:
    return {
        "Q": "X·W_Q",
        "K": "X·W_K",
        "V": "X·W_V",
        "scores": "Q·Kᵀ",
        "scaled_scores": "scores/√d_k",
        "masked_scores": "masked scores",
        "exponentials": "e^score",
        "weights": "softmax of the scaled scores",
        "outputs": "weights·V",
    }.get(stage, stage)


def _label(stage: str, place: tuple[int, ...]) -> str:
    name = LABELS.get(stage, "")
    if not name or not place:
        return name
    return f"{name}[{','.join(str(i + 1) for i in place)}]"


def _message(found: CellVerdict, text: str, decimal: str | None) -> str:
    working = found.candidate.working or "the exact value"
    value = plain_value(found.value) or (f"{decimal}…" if decimal else "")
    worth = f"{working} = {value}" if value and value != working else working
    if found.verdict is Verdict.UNDECIDED:
        return f"{working}: {found.reason}"
    if found.right:
        return f"{worth}"
    what = {
        Verdict.TRUNCATED: f"{text} is cut off",
        Verdict.LAST_DIGIT: f"{text} is one off in the last digit",
    }.get(found.verdict, f"{text} is written")
    return f"{worth} rounds to {found.expected}; {what}" if found.expected else f"{worth}; {what}"


def _spelt(node: Node) -> str:
    from symattn.documents.judging.spelling import spelt

    return spelt(node)
