"""The commands and environments of TeX files that stand outside of formulas, by what a reader makes of them.

Arrives: nothing. Leaves: sets and tables of names.
"""

from __future__ import annotations

from typing import Final

from symattn.documents.formats.offsets import words

TABULAR: Final = frozenset(
    {"tabular", "tabularx", "tabulary", "tabular*", "longtable", "supertabular", "tblr", "NiceTabular"}
)
PICTURES: Final = frozenset({"tikzpicture", "tikzcd", "pgfpicture", "picture", "axis", "comment"})
LISTS: Final = {"itemize": "list", "enumerate": "list", "description": "list", "quote": "quote", "quotation": "quote"}
SECTIONS: Final = {
    "part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5, "subparagraph": 6,
    "frametitle": 2, "framesubtitle": 3, "title": 1,
}  # fmt: skip
DROPPED: Final = words(
    # with the groups after them
    """
    label ref eqref cref Cref autoref pageref cite citep citet citealp parencite textcite vspace hspace vskip hskip
    includegraphics usepackage documentclass bibliography bibliographystyle pagestyle thispagestyle setlength
    addtolength setcounter addtocounter hypersetup geometry index nocite graphicspath definecolor pagenumbering
    newtheorem theoremstyle RequirePackage PassOptionsToPackage lstset input include bibitem date author thanks
    newpage clearpage rule usetikzlibrary setminted nopagebreak pagebreak usebox newsavebox
    """
)
FIRST_DROPPED: Final = frozenset(
    {"textcolor", "colorbox", "href", "multirow", "fontsize", "resizebox", "scalebox", "parbox", "IfFileExists"}
)
FORMATTING: Final = (
    words(
        """
    textbf textit emph texttt textrm textsf textsc textmd textup textsl textnormal underline mbox hbox makebox fbox
    bf it rm sf tt sc em bfseries itshape rmfamily sffamily ttfamily mdseries upshape scshape normalfont tiny
    scriptsize footnotesize small normalsize large Large LARGE huge Huge noindent indent centering raggedright
    raggedleft center footnote caption maketitle tableofcontents appendix smallskip medskip bigskip hfill vfill
    hline toprule midrule bottomrule cline cmidrule relax protect ensuremath boxed color selectfont url
    displaystyle textstyle textsuperscript textsubscript item frame pause uline sout multicolumn centerline text
    null sloppy
    """
    )
    | FIRST_DROPPED
)
SPACES: Final = {
    "quad": " ",
    "qquad": " ",
    ",": " ",
    ";": " ",
    ":": " ",
    "!": "",
    " ": " ",
    "\n": " ",
    "/": "",
    "-": "",
    "@": "",
    "enspace": " ",
    "thinspace": " ",
}
SYMBOLS: Final = {
    "%": "%", "&": "&", "_": "_", "#": "#", "$": "$", "{": "{", "}": "}", "dots": "…", "ldots": "…", "ss": "ß",
    "S": "§", "textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textless": "<", "textgreater": ">",
    "texttimes": "×", "textminus": "−", "textbar": "|", "textdegree": "°", "newline": "\n", "linebreak": "\n",
}  # fmt: skip
