"""A motion on a terminal, and as JSON."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from senn.cli.printing.screen import facts, show

if TYPE_CHECKING:
    from senn.experiments.motion import Motion


def show_motion(as_json: bool, motion: Motion) -> None:
    """Print the figures of a motion."""
    names = ("problem", "algorithm", "machine", "until", "step", "integrator", "torque")
    record: dict[str, Any] = {name: motion.description[name] for name in names}
    record |= {name: record[name]["name"] for name in ("problem", "machine")}
    document = {**record, **motion.summary, "ok": motion.ok, "folder": motion.folder}
    show(as_json, document, *([] if as_json else [facts(lines(motion))]))


def write_page(motion: Motion, path: Path) -> None:
    """Write the figures, the animation and all pictures of a motion as one page of HTML."""
    from senn.experiments.motion.pictures import animation, images
    from senn.traces import files
    from senn.traces.tables import html_table

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
        f"</style></head><body><h1>{title}</h1>\n{html_table(lines(motion), texts=2)}\n"
        f"{' '.join(shown)}</body></html>\n",
    )


def lines(motion: Motion) -> Iterator[tuple[str, str]]:
    figures, record = motion.summary, motion.description
    until = f"{figures['time']:g} of {record['until']:g} s" if figures["time"] < record["until"] else ""
    span = until or f"{record['until']:g} s"
    steps = f"in {figures['steps']:,} steps of {record['step']:g} s"
    yield "motion", f"{record['problem']['name']}: {span} {steps}, {record['integrator']}"
    cycles = f"{figures['makespan']:,} cycles, {figures['makespan'] / record['clock_mhz'] / 1e3:.3g} ms"
    clock = f"{record['machine']['name']} at {record['clock_mhz']:g} MHz"
    yield "machine", f"{clock}, {record['algorithm']}: {cycles} for a run of the program"
    needed = f"{1e3 * figures['seconds_per_step']:.3g} ms"
    runs = f"{figures['evaluations_per_step']} runs for a step take {needed}"
    yield "real-time factor", f"{figures['real_time_factor']:.3g}: {runs}"
    yield "energy", "{:.6g} J at the start, {:.6g} J at the end".format(*figures["energy"])
    yield "force", f"at most {figures['largest_force']:.4g} N, at {figures['time_of_largest_force']:g} s"
    if figures["drift_velocity"] is not None:
        pose = figures["drift_pose"]
        size = "the constraint has no integral" if pose is None else f"pose {pose:.1e} m or rad"
        yield "drift", f"{size}, velocity {figures['drift_velocity']:.1e} m/s or rad/s"
    judged, failed = figures["judged"], figures["failed"]
    verdict = f"{failed} fail" if failed else "all within"
    used = figures["largest_part_of_tolerance"]
    most = "" if used is None else f", at most {used:.2g} of the tolerance"
    yield "certificates", f"{judged} of the runs, {verdict}{most}"
