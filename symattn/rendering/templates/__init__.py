"""The frames of the documents, as Jinja templates: HTML is escaped by the engine, TeX before it gets here."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("symattn.rendering", "templates"),
        autoescape=lambda name: name is not None and ".html" in name,  # noqa: S701  (TeX is escaped before it gets here)
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        block_start_string="[%",
        block_end_string="%]",
        variable_start_string="[[",
        variable_end_string="]]",
        comment_start_string="[#",
        comment_end_string="#]",
        keep_trailing_newline=True,
    )


def template(name: str) -> Template:
    """A template of this folder by its name."""
    return _environment().get_template(name)
