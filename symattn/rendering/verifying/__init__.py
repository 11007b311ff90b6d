"""Reports of verified documents: as text for people, data, annotations for machines, Markdown, and a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from symattn.errors import OptionError, quoted
from symattn.rendering.language import language as language_of

if TYPE_CHECKING:
    from symattn.documents.report import Report
    from symattn.rendering.verifying.told import Telling


def _text(report: Report, telling: Telling) -> str:
    from symattn.rendering.verifying.text import report_text

    return report_text(report, telling)


def _json(report: Report, _: Telling) -> str:
    from symattn.rendering.verifying.data import report_json

    return report_json(report)


def _github(report: Report, telling: Telling) -> str:
    from symattn.rendering.verifying.github import report_github

    return report_github(report, telling)


def _sarif(report: Report, telling: Telling) -> str:
    from symattn.rendering.verifying.sarif import report_sarif

    return report_sarif(report, telling)


def _markdown(report: Report, telling: Telling) -> str:
    from symattn.rendering.verifying.markdown import report_markdown

    return report_markdown(report, telling)


def _html(report: Report, telling: Telling) -> str:
    from symattn.rendering.verifying.page import report_html

    return report_html(report, telling)


FORMATS: Final[Mapping[str, Callable[[Report, Telling], str]]] = MappingProxyType(
    {"text": _text, "json": _json, "github": _github, "sarif": _sarif, "html": _html, "markdown": _markdown}
)

_HALF = re.compile("[\ud800-\udfff]")


def render_report(
    report: Report, to: str = "text", *, language: str = "en", verbose: bool = False, color: bool = False
) -> str:
    """A report as "text", "json", "github" annotations, "sarif", "markdown", or an "html" page.

    `language` is zh or en. `verbose` tells of every claim, not of the findings alone; JSON and HTML have all of them
    anyway. `color` is for text on a terminal.
    Raises: OptionError for an unknown format or language.

    >>> from symattn.documents.formats.load import load_document
    >>> from symattn.documents.report import Checked, Report
    >>> print(render_report(Report((Checked(load_document("Hello."), ()),))), end="")
    Nothing was found that could be checked.
    """
    if to not in FORMATS:
        raise OptionError(f"unknown format {quoted(to)}", expected=f"one of {', '.join(FORMATS)}")
    from symattn.rendering.verifying.told import Telling

    telling = Telling(language_of(language), verbose)
    if color and to == "text":
        from symattn.rendering.verifying.text import report_text

        made = report_text(report, telling, color=True)
    else:
        made = FORMATS[to](report, telling)
    return _HALF.sub("\ufffd", made)  # a file's name may hold half characters, which no encoding takes


def explain(report: Report, line: int, *, language: str = "en") -> str:
    """The exact working of every claim on a line: operands, exact value, certified decimal, rounding, both routes.

    Raises: OptionError if no document of the report has such a line, or for an unknown language.

    >>> from symattn.documents.formats.load import load_document
    >>> from symattn.documents.report import Checked, Report
    >>> print(explain(Report((Checked(load_document("Hello."), ()),)), 1), end="")
    -:1: no number on this line was taken for a claim.
    """
    from symattn.rendering.verifying.told import Telling
    from symattn.rendering.verifying.working import explained

    return _HALF.sub("\ufffd", explained(report, line, Telling(language_of(language))))
