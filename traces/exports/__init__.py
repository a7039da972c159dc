"""A trace for other people's tools: one module a format, and `FORMATS`, the table of them."""

from senn.traces.exports.formats import FORMATS, Format, export, format_of

__all__ = ["FORMATS", "Format", "export", "format_of"]
