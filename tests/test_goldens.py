"""The committed documents in output/ are what the program makes today.

To rebuild them: `symattn derive && symattn compare -o output/time-machine`, and in that folder
`symattn verify hand-worked.md --format html --lang zh -o hand-worked.verify.zh.html` and so on. Pictures depend on the installed fonts and
on matplotlib's version, and what floats give on the processor: of the one the names are compared and that they are
described alike, the other is left out.
"""

from __future__ import annotations

import contextlib
import difflib
import re
import shutil
from pathlib import Path

import pytest

from symattn.cli import run
from symattn.rendering.language import language

OUTPUT = Path(__file__).parents[1] / "output"
DERIVATIONS = [
    f"{kind}.{language}.{to}"
    for kind in ("exact", "free-dk", "as-written")
    for language in ("zh", "en")
    for to in ("md", "tex", "html")
]
COMPARISONS = [
    "comparison.json",
    "comparison.csv",
    *(f"comparison.{language}.{to}" for language in ("zh", "en") for to in ("md", "tex", "html")),
]
LESSON = "hand-worked.md"
VERIFIED = [
    "hand-worked.verify.json",
    *(f"hand-worked.verify.{language}.{to}" for language in ("zh", "en") for to in ("txt", "html")),
]
PICTURES = [
    f"{name}.{language}.{to}"
    for name in ("error-by-root", "losses", "by-d_k", "weights")
    for language in ("zh", "en")
    for to in ("svg", "png")
]


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("goldens")
    assert run(["derive", "-o", str(folder)]) == 0
    assert run(["compare", "-o", str(folder)]) == 0
    shutil.copy(OUTPUT / "time-machine" / LESSON, folder)
    with contextlib.chdir(folder):
        for name in VERIFIED:
            _, _, *language, to = name.split(".")
            options = ["--lang", *language] if language else []
            assert run(["verify", LESSON, "--format", {"txt": "text"}.get(to, to), *options, "-o", name]) == 1
    return folder


def comparable(text: str) -> str:
    """Without the MathML, which a new version of its converter may spell differently, the pictures, and the floats."""
    text = re.sub(r"<math.*?</math>", "<math/>", text, flags=re.DOTALL)
    text = re.sub(r"data:image/svg\+xml;base64,[A-Za-z0-9+/=]*", "data:", text)
    text = re.sub(r'\n "(floats|worst_ulps)": \[.*?\n \],', "", text, flags=re.DOTALL)
    machine = "|".join(language(key).words("compare_machine_heading") for key in ("zh", "en"))
    return re.sub(rf"({machine}).*?(?=\n(## |\\section|<h2>))", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("name", [*DERIVATIONS, *COMPARISONS, *VERIFIED])
def test_golden(name: str, rebuilt: Path) -> None:
    kept, made = (comparable((folder / name).read_text("utf-8")) for folder in (OUTPUT / "time-machine", rebuilt))
    diff = "\n".join(difflib.unified_diff(kept.splitlines(), made.splitlines(), "committed", "made today", lineterm=""))
    assert not diff, diff


def test_nothing_else_is_made_or_kept(rebuilt: Path) -> None:
    names = sorted([*DERIVATIONS, *COMPARISONS, *PICTURES, LESSON, *VERIFIED])
    assert sorted(path.name for path in (OUTPUT / "time-machine").iterdir()) == names
    assert sorted(path.name for path in rebuilt.iterdir()) == names
