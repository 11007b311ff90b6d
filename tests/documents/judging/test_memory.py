"""What a document has said so far: names, stages, rows and entries, three ways."""

from __future__ import annotations

from typing import Any

import pytest
from flint import fmpq

from symattn.documents.judging.memory import Memory, Quantity, whole_number
from symattn.documents.reading.tables import Table


def table(*rows: tuple[Any, ...], flat: bool = False) -> Table:
    return Table(tuple(tuple(map(fmpq, row)) for row in rows), flat=flat)


@pytest.fixture
def memory() -> Memory:
    made = Memory()
    made.place("scores", Quantity(table((3, 1), (2, 5)), stage="scores"))
    made.bind("B", Quantity(table((7, 8, 9), (4, 5, 6))))
    return made


@pytest.mark.parametrize(
    ("key", "entries"),
    [
        ("B", [[7, 8, 9], [4, 5, 6]]), ("B_2", [[4, 5, 6]]), ("B_1,3", [[9]]), ("B_13", [[9]]), ("B_2,:", [[4, 5, 6]]),
        ("scores", [[3, 1], [2, 5]]), ("scores_2,1", [[2]]), ("scores_21", [[2]]), ("scores_b", [[2, 5]]),
        ("B_3", None), ("B_1,4", None), ("B_0", None), ("C", None), ("B_x", None), ("b", None),
    ],
)  # fmt: skip
def test_names_rows_and_entries(memory: Memory, key: str, entries: list[list[int]] | None) -> None:
    found = memory.find(key)
    if entries is None:
        assert found is None
        return
    assert found is not None
    shown = found.shown.rows if isinstance(found.shown, Table) else ((found.shown,),)
    assert shown == tuple(tuple(map(fmpq, row)) for row in entries)


def test_a_small_letter_is_a_row_of_its_matrix() -> None:
    memory = Memory()
    memory.place("Q", Quantity(table((1, 2), (3, 4)), stage="Q"))
    row = memory.find("q_2")
    assert row is not None
    assert row.shown == table((3, 4), flat=True)


def test_rows_are_found_by_the_names_of_tokens(memory: Memory) -> None:
    memory.labels = ("The", "cat")
    assert [memory.index(word, 2) for word in ("the", "CAT", "1", "2", "3", "dog", "a")] == [
        0,
        1,
        0,
        1,
        None,
        None,
        None,
    ]
    memory.labels = ()
    assert [memory.index(word, 2) for word in ("a", "B", "c", "ab")] == [0, 1, None, None]


def test_the_last_value_of_a_name_counts(memory: Memory) -> None:
    memory.bind("B", Quantity(fmpq(1)))
    assert memory.find("B") == Quantity(fmpq(1))
    assert memory.find("B_1") is None


def test_three_ways() -> None:
    all_three = Quantity(fmpq(1), fmpq(2), fmpq(3))
    assert [all_three.way(way) for way in ("shown", "exact", "source")] == [1, 2, 3]
    displayed = Quantity(fmpq(1))
    assert [displayed.way(way) for way in ("shown", "exact", "source")] == [1, 1, 1]
    without_source = Quantity(fmpq(1), fmpq(2))
    assert without_source.way("source") == 2


def test_an_entry_keeps_its_three_ways() -> None:
    memory = Memory()
    ways = [table((1, 2)), table((3, 4)), table((5, 6))]
    memory.bind("B", Quantity(*ways, stage="scores"))
    found = memory.find("B_1,2")
    assert found == Quantity(fmpq(2), fmpq(4), fmpq(6), "scores")


def test_the_last_row_makes_the_stage() -> None:
    memory = Memory()
    for i, row in enumerate([(1, 2), (3, 4)]):
        assert "weights" not in memory.stages
        memory.place_row("weights", i, Quantity(table(row, flat=True), stage="weights"), 2)
    assert memory.stages["weights"].shown == table((1, 2), (3, 4))
    assert memory.stages["weights"].claimed
    memory.place("weights", Quantity(table((0, 1), (1, 0)), stage="weights"))
    assert "weights" not in memory.rows


def test_every_change_makes_another_version(memory: Memory) -> None:
    seen = [memory.version]
    memory.bind("n", Quantity(fmpq(1)))
    seen.append(memory.version)
    memory.place("Q", Quantity(table((1,))))
    seen.append(memory.version)
    memory.place_row("weights", 0, Quantity(table((1,))), 2)
    seen.append(memory.version)
    assert seen == sorted(set(seen))


def test_a_view_answers_as_evaluation_asks(memory: Memory) -> None:
    memory.bind("n", Quantity(fmpq(1), fmpq(2)))
    shown, exact = memory.view("shown"), memory.view("exact", {"extra": fmpq(9)})
    assert (shown["n"], exact["n"], exact["extra"]) == (1, 2, 9)
    assert shown.get("missing") is None
    with pytest.raises(KeyError, match="missing"):
        shown["missing"]
    assert set(shown) == {"B", "n"}
    assert len(shown) == 2


@pytest.mark.parametrize(
    ("value", "whole"),
    [(fmpq(3), 3), (fmpq(1, 2), None), (fmpq(0), None), (fmpq(-3), None), (fmpq(10) ** 6, None), (table((1,)), None)],
)
def test_small_whole_numbers(value: Any, whole: int | None) -> None:
    assert whole_number(value) == whole


def test_two_memories_share_nothing() -> None:
    first, second = Memory(), Memory()
    first.bind("B", Quantity(fmpq(1)))
    first.remember("1.7", Quantity(fmpq(17, 10)))
    first.roots.append((fmpq(17, 10), "1.7"))
    assert (second.names, second.numbers, second.roots, second.version) == ({}, {}, [], 0)
