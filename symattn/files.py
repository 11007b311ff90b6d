"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from symattn.errors import OutputError, quoted


def write_whole(path: Path, data: str | bytes) -> None:
    """Put `data` at `path`: through a file beside it that takes its place at the end.

    Raises: OutputError where the folder or the file cannot be written.
    """
    raw = data.encode("utf-8") if isinstance(data, str) else data
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".symattn-", dir=path.parent)
        beside = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(raw)
            beside.chmod(0o666 & ~_umask())
            beside.replace(path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise OutputError(
            f"cannot write {quoted(str(path), 160)}: {reason}", hint="Choose another folder with -o DIR."
        ) from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
