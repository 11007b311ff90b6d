"""Files written whole or not at all.

Arrives: paths and their contents. Leaves: files on disk, each complete; or an `OutputError`, and the disk as it was.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISDIR

from symattn.errors import OutputError, quoted, system_reason


def write_all(contents: Mapping[Path, str | bytes]) -> None:
    r"""Nothing; every content stands at its path afterwards. Text is written as UTF-8; missing folders are made.

    All contents are on disk, beside their places, before the first file is replaced, so a full disk or a folder in
    the way leaves every earlier file as it was.
    Raises: OutputError with the first path that cannot be written.

    >>> write_all({Path("a\0b"): ""})
    Traceback (most recent call last):
    symattn.errors.OutputError: cannot write 'a\x00b': embedded null byte. Choose another folder with -o DIR.
    """
    beside: dict[Path, Path] = {}
    folders: list[Path] = []
    try:
        for path, data in contents.items():
            with _restated(path):
                _make_folders(path.parent, folders)
                _stage(path, data.encode("utf-8") if isinstance(data, str) else data, beside)
        for path, staged in beside.items():
            with _restated(path):
                staged.replace(path)
    except BaseException:
        for staged in beside.values():
            staged.unlink(missing_ok=True)
        for folder in reversed(folders):
            with suppress(OSError):  # not empty: somebody else uses it by now
                folder.rmdir()
        raise


def _make_folders(folder: Path, made: list[Path]) -> None:
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    for place in reversed(missing):
        place.mkdir(exist_ok=True)
        made.append(place)


def _stage(path: Path, raw: bytes, beside: dict[Path, Path]) -> None:
    # a folder in the way, or a name that cannot be, is told now: once the first file is replaced it is too late
    with suppress(FileNotFoundError):
        if S_ISDIR(path.stat().st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    handle, name = tempfile.mkstemp(prefix=".symattn-", dir=path.parent)
    beside[path] = Path(name)
    with os.fdopen(handle, "wb") as file:
        file.write(raw)
    beside[path].chmod(0o666 & ~_umask())


@contextmanager
def _restated(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        reason = system_reason(error)
        raise OutputError(
            f"cannot write {quoted(str(path), 160)}: {reason}", hint="Choose another folder with -o DIR."
        ) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
