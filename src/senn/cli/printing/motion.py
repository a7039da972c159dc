"""A motion on a terminal, and as a page."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from senn.base.account import Account, Section, html

if TYPE_CHECKING:
    from senn.motion import Motion


def account_of(motion: Motion) -> Account:
    """The figures of a motion."""
    names = ("problem", "algorithm", "machine", "until", "step", "integrator", "torque")
    record: dict[str, Any] = {name: motion.description[name] for name in names}
    record |= {name: record[name]["name"] for name in ("problem", "machine")}
    figures = {**record, **motion.summary, "ok": motion.ok, "folder": motion.folder}
    return Account([Section(lines=tuple(motion.facts()))], figures)


def write_page(motion: Motion, path: Path) -> None:
    """Write the figures, the animation and all pictures of a motion as one page of HTML."""
    from senn.base import files
    from senn.motion.pictures import animation, images

    pictures = {**images(motion), "animation": ("gif", animation(motion))}
    shown = (
        f'<img alt="{name}" src="data:image/{kind};base64,{b64encode(content).decode()}">'
        for name, (kind, content) in pictures.items()
    )
    title = escape(f"Motion of {motion.description['problem']['name']}")
    files.write_text(
        path,
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>'
        "body{font:16px sans-serif;max-width:60em;margin:2em auto;padding:0 1em}img{max-width:100%}"
        f"</style></head><body><h1>{title}</h1>\n{html([Section(lines=tuple(motion.facts()))])}\n"
        f"{' '.join(shown)}</body></html>\n",
    )
