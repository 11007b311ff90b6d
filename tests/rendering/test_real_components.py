"""The documents in the programs that people read them with: XeLaTeX, KaTeX, MathJax."""

from __future__ import annotations

import json
import os
import re
import subprocess
import unicodedata
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from symattn import Exact, Written, derive, load_spec, render
from symattn.formulas import Indexed, Name, Words, equal
from symattn.rendering.blocks import Display, Heading, Math, Note, Outside, Paragraph, Token
from symattn.rendering.language import language
from symattn.rendering.latex import LatexWriter
from symattn.rendering.markdown import markdown
from symattn.rendering.tex import tex
from symattn.rendering.words import TEX_SYMBOLS, visible

SPEC = load_spec()
KINDS = {"exact": Exact(), "free-dk": Exact(free_d_k=True), "as-written": Written(SPEC.policy)}
CHOICES: dict[str, dict[str, Any]] = {
    **{f"{kind}.{lang}": {"kind": kind, "language": lang} for kind in KINDS for lang in ("zh", "en")},
    "paper": {"kind": "exact", "language": "en", "notation": "paper", "expand": "all"},
    "worksheet": {"kind": "exact", "language": "zh", "worksheet": "blank"},
    "key": {"kind": "as-written", "language": "en", "worksheet": "key"},
}
REMARKS = re.compile(r"^!.*|^Overfull .hbox \((?:[2-9]|\d\d+)\.\d+pt.*|^Missing character.*", re.MULTILINE)


def made(name: str, to: str) -> str:
    choices = dict(CHOICES[name])
    return render(derive(SPEC, KINDS[choices.pop("kind")]), to, **choices)


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a run of TeX left: its exit code, its remarks, its files, the text of its PDF."""

    code: int
    remarks: list[str]
    files: set[str]
    text: str


def hostile_document(words: dict[str, str], lang: str) -> str:
    blocks: list[Any] = [Heading(1, (Outside("50% & \\input{x} ^^5c <b> $x$"),))]
    for word in words.values():
        blocks.append(Paragraph((Token(word), " in ", Math(Indexed(Name("q"), Words(word))))))
        blocks.append(Heading(3, (Token(word),)))
    blocks += [Display(equal(Name("Q"), Words(word))) for word in words.values()]
    blocks += [Note((Token(word),)) for word in words.values()]
    return tex(blocks, LatexWriter(target="xelatex"), language(lang))


@pytest.fixture(scope="module")
def compiled(
    program: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory, hostile: dict[str, str]
) -> dict[str, Compiled]:
    xelatex, pdftotext = program("xelatex"), program("pdftotext")
    base = tmp_path_factory.mktemp("tex")  # by one thread: two may not make the first folder at once

    def run(name: str, text: str) -> Compiled:
        folder = base / name
        folder.mkdir()
        (folder / "d.tex").write_text(text, "utf-8")
        env = {**os.environ, "max_print_line": "1000", "openin_any": "p", "openout_any": "p", "MKTEXTFM": "0"}
        command = [xelatex, "-interaction=nonstopmode", "-no-shell-escape", "d.tex"]
        code = subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False).returncode
        shown = subprocess.run([pdftotext, "d.pdf", "-"], cwd=folder, capture_output=True, check=False).stdout
        remarks = REMARKS.findall((folder / "d.log").read_text("utf-8", "replace"))
        return Compiled(code, remarks, {path.name for path in folder.iterdir()}, shown.decode("utf-8"))

    texts = {name: made(name, "tex") for name in CHOICES}
    texts |= {f"hostile.{lang}": hostile_document(hostile, lang) for lang in ("zh", "en")}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(texts, pool.map(run, texts, texts.values()), strict=True))


@pytest.mark.parametrize("name", [*CHOICES, "hostile.zh", "hostile.en"])
def test_tex_compiles_without_a_remark(compiled: dict[str, Compiled], name: str) -> None:
    assert (compiled[name].code, compiled[name].remarks) == (0, [])


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_tex_writes_no_file_of_its_own(compiled: dict[str, Compiled], lang: str) -> None:
    assert compiled[f"hostile.{lang}"].files - {"missfont.log"} == {"d.tex", "d.pdf", "d.log", "d.aux"}


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_names_are_verbatim_in_the_pdf(compiled: dict[str, Compiled], hostile: dict[str, str], lang: str) -> None:
    shown = plain(compiled[f"hostile.{lang}"].text)
    for name, word in hostile.items():
        if not any(
            unicodedata.bidirectional(c) in {"R", "AL", "NSM"} or ord(c) > 0xFFFF or c in TEX_SYMBOLS for c in word
        ):
            assert plain(f"“{visible(word)}”") in shown, name


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_scripts_beyond_the_main_font_are_shown_or_named(compiled: dict[str, Compiled], lang: str) -> None:
    shown = plain(compiled[f"hostile.{lang}"].text)
    for character in "🚀👩🇫𠀀":
        assert character in shown or f"U+{ord(character):X}" in shown
    named = "".join(f"U+{ord(c):X}" for c in "שלום")
    assert any(word in shown for word in ("שלום", "שלום"[::-1], named))


def plain(text: str) -> str:
    composed = unicodedata.normalize("NFKC", re.sub(r"[\ufe00-\ufe0f]", "", text))
    return "".join(composed.split())


# ---- KaTeX and MathJax -------------------------------------------------------------------------------------------

JUDGE = r"""
const formulas = JSON.parse(require("fs").readFileSync(0, "utf8"));
const [kind, folder] = process.argv.slice(1);
const verdicts = {
  katex() {
    const katex = require(folder);
    const fonts = ["unicodeTextInMathMode", "unknownSymbol", "symbolNotInFont"];  // letters that its fonts lack
    const strict = (code) => fonts.includes(code) ? "ignore" : "error";
    return (latex) => { katex.renderToString(latex, {displayMode: true, throwOnError: true, strict}); return ""; };
  },
  mathjax() {
    const at = (path) => require(folder + "/js/" + path);
    at("handlers/html.js").RegisterHTMLHandler(at("adaptors/liteAdaptor.js").liteAdaptor());
    at("input/tex/AllPackages.js");
    const input = new (at("input/tex.js").TeX)({packages: ["base", "ams"]});
    const page = at("mathjax.js").mathjax.document("", {InputJax: input});
    const visitor = new (at("core/MmlTree/SerializedMmlVisitor.js").SerializedMmlVisitor)();
    return (latex) => {
      const tree = page.convert(latex, {display: true, end: at("core/MathItem.js").STATE.CONVERT});
      const text = visitor.visitTree(tree);
      return text.includes("merror") ? text : "";
    };
  },
};
const judge = verdicts[kind]();
const said = {};
for (const latex of formulas) {
  let problem;
  try { problem = judge(latex); } catch (error) { problem = String(error.message); }
  if (problem) said[latex] = problem;
}
console.log(JSON.stringify(said));
"""


def formulas_of(text: str) -> Iterator[str]:
    yield from re.findall(r"(?<!\\)\$\$\n\s*(.+?)\n\s*\$\$", text)
    rest = re.sub(r"(?<!\\)\$\$\n.+?\$\$", "", text, flags=re.DOTALL)
    yield from re.findall(r"(?<!\\)\$((?:\\.|[^$\\])+)\$", rest)


@pytest.fixture(scope="module")
def formulas(hostile: dict[str, str]) -> list[str]:
    found = {latex for name in CHOICES for latex in formulas_of(made(name, "md"))}
    writer = LatexWriter()
    found |= {writer.write(equal(Indexed(Name("q"), Words(word)), Words(word))) for word in hostile.values()}
    for word in hostile.values():  # and as they stand in a document
        found |= set(formulas_of(markdown([Display(equal(Name("Q"), Words(word)))], writer)))
    return sorted(found)


@pytest.mark.parametrize(("kind", "package"), [("katex", "katex"), ("mathjax", "mathjax-full")])
def test_every_formula_is_read(
    kind: str, package: str, formulas: list[str], program: Callable[[str], str], node_package: Callable[[str], Path]
) -> None:
    command = [program("node"), "-e", JUDGE, kind, str(node_package(package))]
    run = subprocess.run(command, input=json.dumps(formulas), capture_output=True, text=True, check=True)
    assert len(formulas) > 200
    assert json.loads(run.stdout) == {}
