"""PDF from TeX, with whichever engine is on PATH."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from symattn.errors import OutputError, one_line

SECONDS: Final = 180
ENGINES: Final[dict[str, tuple[str, ...]]] = {
    "latexmk": ("-xelatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "-norc"),
    "tectonic": ("--untrusted", "--chatter", "minimal"),
    "xelatex": ("-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"),
}


def to_pdf(tex: str) -> bytes:
    """The PDF of a TeX document, made in a folder of its own that is removed afterwards.

    Raises: OutputError where no engine is installed or the engine fails, with its first error line.
    """
    engine = next((name for name in ENGINES if shutil.which(name)), None)
    if engine is None:
        raise OutputError(
            "no TeX engine on PATH",
            expected=f"one of {', '.join(ENGINES)}",
            hint="Install TeX Live or Tectonic, or leave pdf out of --to and compile the .tex elsewhere.",
        )
    with tempfile.TemporaryDirectory(prefix="symattn-") as folder:
        source = Path(folder) / "derivation.tex"
        source.write_text(tex, encoding="utf-8")
        # openin_any, openout_any: TeX may neither read nor write outside this folder
        guarded = {**os.environ, "openin_any": "p", "openout_any": "p", "SOURCE_DATE_EPOCH": "0"}
        try:
            run = subprocess.run(  # noqa: S603  (a fixed command; the document is our own)
                [engine, *ENGINES[engine], source.name],
                cwd=folder,
                env=guarded,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise OutputError(f"{engine} did not finish: {error}") from error
        made = source.with_suffix(".pdf")
        if run.returncode != 0 or not made.exists():
            raise OutputError(f"{engine} failed: {_first_error(source, run.stdout + run.stderr)}")
        return made.read_bytes()


def _first_error(source: Path, output: bytes) -> str:
    log = source.with_suffix(".log")
    text = log.read_text("utf-8", "replace") if log.exists() else output.decode("utf-8", "replace")
    for line in text.splitlines():
        if line.startswith("!") or "error" in line.lower():
            return one_line(line, 200)
    return "no error line in its log"
