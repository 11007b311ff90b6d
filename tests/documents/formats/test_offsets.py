from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from symattn.documents.formats.document import Document
from symattn.documents.formats.offsets import Weaver, whole

STEPS = st.lists(st.tuples(st.sampled_from(["copy", "put", "slice", "strip"]), st.integers(0, 40), st.integers(0, 40)))


@given(st.text(alphabet="ab \n", min_size=1, max_size=40), STEPS)
def test_every_character_keeps_its_place_through_any_changes(source: str, steps: list[tuple[str, int, int]]) -> None:
    placed = whole(source)
    expected = [(c, i, i + 1) for i, c in enumerate(source)]  # the character, where it begins and ends
    for step, x, y in steps:
        a, b = sorted((x % (len(expected) + 1), y % (len(expected) + 1)))
        if step == "slice":
            placed, expected = placed.slice(a, b), expected[a:b]
        elif step == "strip":
            placed = placed.strip()
            text = "".join(c for c, _, _ in expected)
            lead = len(text) - len(text.lstrip())
            expected = expected[lead : lead + len(text.strip())]
        else:
            weaver = Weaver()
            weaver.copy(placed, 0, a)
            if step == "put" and a < b:
                weaver.put("xy", *placed.span(a, b))
                start, end = min(s for _, s, _ in expected[a:b]), max(e for _, _, e in expected[a:b])
                middle = [("x", start, end), ("y", start, end)]
            else:
                middle = []
            weaver.copy(placed, b)
            placed, expected = weaver.finish(), expected[:a] + middle + expected[b:]
        assert placed.text == "".join(c for c, _, _ in expected)
        for i, (_, start, end) in enumerate(expected):
            assert (placed.offsets.start(i), placed.offsets.end(i)) == (start, end)
        if expected:
            assert placed.span(0, len(expected)) == (min(s for _, s, _ in expected), max(e for _, _, e in expected))


def test_copied_is_said_only_of_what_stands_so_in_the_source() -> None:
    weaver = Weaver()
    weaver.copy(whole("0 &amp; 10"), 0, 2)
    weaver.put("&", 2, 7)
    weaver.copy(whole("0 &amp; 10"), 7)
    offsets = weaver.finish().offsets
    assert offsets.copied(0, 2)
    assert not offsets.copied(1, 4)
    assert not offsets.copied(2, 3)
    assert offsets.copied(4, 6)


@given(st.text(alphabet="a𝑄\n\r", max_size=30), st.integers(0, 30))
def test_lines_and_columns_are_counted_as_an_editor_does(source: str, offset: int) -> None:
    offset = min(offset, len(source))
    lines = [[0, 0]]
    for i, c in enumerate(source[:offset]):
        lines[-1][1] += 1
        if c == "\n" or (c == "\r" and source[i + 1 : i + 2] != "\n"):
            lines.append([i + 1, 0])
    document = Document("a", "text", source, ())
    assert document.place(offset) == (len(lines), offset - lines[-1][0] + 1)
