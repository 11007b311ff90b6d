"""Files are written whole or not at all, and several of them all or none."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import OutputError
from symattn.files import write_all


def disk(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder: the contents of files, None for folders."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an earlier file, and a folder where a file is wanted."""
    (tmp_path / "earlier.md").write_text("earlier")
    (tmp_path / "in-the-way.md").mkdir()
    return tmp_path


def test_text_and_bytes_into_folders_that_are_made(tmp_path: Path) -> None:
    write_all({tmp_path / "a/b/one.md": "√3\r\n", tmp_path / "a/two.pdf": b"%PDF\x00\xff"})
    assert disk(tmp_path) == {
        "a": None,
        "a/b": None,
        "a/b/one.md": "√3\r\n".encode(),
        "a/two.pdf": b"%PDF\x00\xff",
    }


@given(contents=st.dictionaries(st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.binary(max_size=200), max_size=5))
def test_what_is_written_is_what_was_given(contents: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        write_all({Path(name) / key: data for key, data in contents.items()})
        assert disk(Path(name)) == contents


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_files_have_the_permissions_of_other_files(mask: int, mode: int, tmp_path: Path) -> None:
    before = os.umask(mask)
    try:
        write_all({tmp_path / "a": ""})
    finally:
        assert os.umask(before) == mask
    assert (tmp_path / "a").stat().st_mode & 0o777 == mode


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("earlier.md/x.md", "earlier.md/x.md': Not a directory"),
        ("earlier.md/deep/er/x.md", "x.md': Not a directory"),
        ("in-the-way.md", "in-the-way.md': Is a directory"),
        ("new/deep/" + "x" * 300, "…': File name too long"),
        ("x" * 300 + "/x.md", "…': File name too long"),
        ("a\0b", "a\\x00b': embedded null byte"),
        ("new/\ud800", "\\ud800': 'utf-8' codec can't encode"),
    ],
    ids=["below a file", "far below a file", "a folder", "a long name", "a long folder", "NUL", "half a character"],
)
def test_one_path_that_cannot_be_written_leaves_the_disk_as_it_was(name: str, reason: str, folder: Path) -> None:
    before = disk(folder)
    contents = {folder / "earlier.md": "later", folder / "new/first.md": "first", folder / name: "last"}
    with pytest.raises(OutputError) as caught:
        write_all(contents)
    said = str(caught.value)
    assert said.startswith("cannot write '")
    assert reason in said or "…': " + reason.rpartition("': ")[2] in said  # a long path is cut
    assert said.endswith("Choose another folder with -o DIR.")
    assert "\n" not in said
    assert disk(folder) == before


class FullDisk:
    """A file that takes nothing."""

    def __init__(self, handle: int) -> None:
        os.close(handle)

    def __enter__(self) -> FullDisk:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def write(self, _: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_disk_that_fills_up_half_way_leaves_earlier_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = disk(folder)
    opened: list[int] = []
    real = os.fdopen

    def fills_up(handle: int, mode: str) -> Any:
        opened.append(handle)
        return real(handle, mode) if len(opened) == 1 else FullDisk(handle)

    monkeypatch.setattr(os, "fdopen", fills_up)
    with pytest.raises(OutputError, match=r"cannot write '.*second.md': No space left on device"):
        write_all({folder / "earlier.md": "later", folder / "new/second.md": "second"})
    assert len(opened) == 2
    assert disk(folder) == before


def test_an_interruption_leaves_nothing_half_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = disk(folder)

    def interrupted(self: Path, mode: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "chmod", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_all({folder / "new/a.md": "a"})
    assert disk(folder) == before


def test_a_made_folder_that_others_use_by_now_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def meddling(self: Path, target: Path) -> Path:
        (target.parent / "theirs").write_text("theirs")
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Path, "replace", meddling)
    with pytest.raises(OutputError, match="Input/output error"):
        write_all({tmp_path / "new/a.md": "a"})
    assert disk(tmp_path) == {"new": None, "new/theirs": b"theirs"}
