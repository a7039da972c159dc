"""Whole command lines with their files, by number: damaged files, what is no file, options, run folders."""

import os
import random
import re
import shutil
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import click

from senn.base.files import SEAL
from senn.cli.commands.list import KINDS as LISTED
from senn.cli.main import cli
from senn.traces import seal
from tests.oracles.hostile import damage, valid
from tests.oracles.hostile.damage import Draw

RUN, MOTION = "kept_run", "kept_motion"
"""Folders as `senn run` and `senn simulate` wrote them, which cases damage; `lay` copies them from where they
were made."""


@dataclass(frozen=True)
class Case:
    """A command line, and the folder that it finds itself in."""

    number: int
    kind: str
    words: tuple[str, ...]
    files: dict[str, bytes] = field(default_factory=dict)
    special: dict[str, str] = field(default_factory=dict)
    """Things that are no files: "pipe", "folder", "socket", or where a link leads."""
    run: str = ""
    """What is done to a file of such a folder, as "folder:file:kind:draw:sealed"; none: there is no folder.
    """

    def __str__(self) -> str:
        return (
            f"{self.number} ({self.kind}): senn {' '.join(self.words)!r:.300} {self.special or ''} {self.run}"
        )


def case(number: int, kind: str | None = None) -> Case:
    """The case of a number, the same everywhere."""
    draw = random.Random(number)
    drawn = draw.choices(list(KINDS), [share for share, _ in KINDS.values()])[0]
    return KINDS[kind or drawn][1](number, draw)


def lay(one: Case, folder: Path, run: Path) -> None:
    """Put the files of a case into a folder; `run` is where the folders to damage were made."""
    for name, content in one.files.items():
        (folder / name).write_bytes(content)
    for name, what in one.special.items():
        (folder / name).unlink(missing_ok=True)
        if what == "pipe":
            os.mkfifo(folder / name)
        elif what == "folder":
            (folder / name).mkdir()
        elif what == "socket":
            with socket.socket(socket.AF_UNIX) as bound:
                bound.bind(str(folder / name))
        else:
            (folder / name).symlink_to(what)
    if one.run:
        name, *what = one.run.split(":")
        shutil.copytree(run / name, folder / name)
        _damage(folder / name, *what)


def _plain_files() -> dict[str, bytes]:
    return {name: content.encode() for name, content in valid.FILES.items()}


def _file(number: int, draw: Draw) -> Case:
    name = draw.choice(list(valid.FILES))
    words = draw.choice(valid.READ_BY[name])
    content = damage.damaged(draw, valid.FILES[name])
    if name.endswith(".py"):  # code of a user's may work as long as it likes
        content = re.sub(rb"[0-9a-f]{5,}", b"7", content)
    files = _plain_files() | {name: content}
    return Case(number, name, words, files, _PIPES)


_PIPES = {f"pipe.{end}": "pipe" for end in ("toml", "csv", "urdf", "graphml")}
_SPECIAL = (
    *("pipe", "folder", "socket", "/dev/zero", "/dev/full", "/dev/null", "nowhere"),
    *("circle", "/proc/self/mem"),
)


def _no_file(number: int, draw: Draw) -> Case:
    name = draw.choice(list(valid.FILES))
    words, what = draw.choice(valid.READ_BY[name]), draw.choice(_SPECIAL)
    return Case(number, "no file", words, _plain_files(), {name: name if what == "circle" else what})


# ---------------------------------------------------------------------------------- options

_BEGINNINGS: dict[str, tuple[tuple[str, ...], ...]] = {
    "run": (("run", "random:3", "--detail", "summary"), ("run", "random:2", "--no-numbers"), ("run",)),
    "explain": (("explain", RUN), ("explain", RUN, "node", "1:0"), ("explain", RUN, "message"), ("explain",)),
    "plot": (
        ("plot", RUN, "-o", "drawn.png"),
        ("plot", RUN),
        ("plot", "random:3", "--kind", "arm", "-o", "drawn.png"),
    ),
    "export": (("export", RUN, "-o", "a.json"), ("export", RUN, "--to", "perfetto"), ("export", RUN)),
    "diff": (("diff", RUN, RUN), ("diff", "--hash", RUN), ("diff", RUN)),
    "retime": (("retime", RUN), ("retime", RUN, "--set", "timing.word=3", "-o", "anew")),
    "report": (("report", RUN, "-o", "page.html"), ("report", RUN)),
    "steps": (("steps", "--n", "1:4"),),
    "compare": (("compare", "random:2"), ("compare", "random:{n}", "--n", "2,3")),
    "study": (("study", "study.toml"),),
    "optimise": (("optimise", "--n", "3", "--budget", "2"),),
    "program": (("program", "--n", "3"),),
    "list": (("list",), *(("list", kind) for kind in LISTED)),
}
_LONG = {"budget", "n", "workers", "nodes"}  # numbers that ask for long work, which is no hang
_SHORT = (
    *("0", "-1", "1", "2", "x", "2:3", "2:4:0", "3:2", "1,,2", ":", "65537", "10000000000000"),
    "9" * 5000,
    "1e3",
    "٣",
)
_LEFT_OUT = {"help", "scheduler", "quick", "version"}  # a scheduler that is not there is waited for
_OUTPUTS = (
    "drawn.png",
    "a/b.svg",
    "arm.urdf",
    "pipe.csv",
    "new.csv",
    "new",
    "",
    "\x1b",
    "x" * 300,
    RUN,
    "/dev/full",
)
_FIELDS = tuple(
    f"{name}={value}"
    for name in (
        *("machine.nodes", "machine.network", "machine.routing", "machine.ports", "machine.control"),
        *("machine.switching", "machine.clock_mhz", "machine.name", "timing.word", "timing.startup"),
        *("timing.flop", "timing.hop", "timing.post", "machine.none", "none.word", "machine.dma"),
    )
    for value in (
        *("0", "1", "7", "8", "1e3", "0.5", "-1", "1000000000000", "999999999999.9", "true", "full", "torus"),
        *("hypercube", "cut-through", "half", "one", "mimd", "net.edges", "places.csv", "e-cube"),
        "\x1b",
        "9" * 300,
    )
)


def _options(number: int, draw: Draw) -> Case:
    name = draw.choice(list(_BEGINNINGS))
    words = list(draw.choice(_BEGINNINGS[name]))
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    for option in draw.choices(
        [one for one in command.params if one.name not in _LEFT_OUT], k=draw.choice([1, 1, 2, 3])
    ):
        if isinstance(option, click.Option):
            words.append(draw.choice([*option.opts, *option.secondary_opts]))
            if option.is_flag and draw.random() < 0.9:
                continue
        words.append(_value(draw, option))
    if draw.random() < 0.05:
        words[draw.randrange(len(words))] = draw.choice(damage.TEXTS)
    words = [word.replace("\0", "") for word in words]  # no system passes one on
    return Case(number, f"options of {name}", tuple(words), _plain_files(), _PIPES, f"{RUN}:run.json:none:0:")


def _value(draw: Draw, option: click.Parameter) -> str:
    if option.name == "set":
        return draw.choice([*_FIELDS, *damage.TEXTS])
    if option.name in _LONG:
        return draw.choice(_SHORT)
    if isinstance(option.type, click.Choice) and draw.random() < 0.8:
        return str(draw.choice(list(option.type.choices)))
    if option.name in ("output", "picture"):
        return draw.choice(_OUTPUTS)
    return draw.choice([*damage.TEXTS, *damage.NUMBERS, *valid.FILES])


# ------------------------------------------------------------------------------- run folders

_LOOKS = (
    ("explain", RUN),
    ("explain", RUN, "--json"),
    ("explain", RUN, "critical"),
    ("explain", RUN, "I.b"),
    ("explain", RUN, "message", "3"),
    ("explain", RUN, "message", "9"),
    ("explain", RUN, "node", "1:0", "--json"),
    ("plot", RUN, "-o", "drawn.png"),
    ("plot", RUN, "--from", "9", "--to", "9000", "--nodes", "0:1", "--arrows", "I.b", "-o", "drawn.png"),
    ("plot", RUN, "--kind", "phases", "-o", "drawn.svg"),
    ("export", RUN, "-o", "a.pftrace"),
    ("plot", RUN, "--kind", "overlap", "-o", "d.pdf"),
    ("plot", RUN, "--kind", "network", "-o", "d.png"),
    ("plot", RUN, "--kind", "critical", "-o", "d.svg"),
    ("retime", RUN, "--machine", "raw"),
    ("diff", RUN, RUN, "--places"),
    ("diff", "--hash", RUN, "--json"),
    ("retime", RUN, "--set", "timing.post=3", "--json"),
    ("plot", RUN, "--kind", "heat", "--of", "exposed", "-o", "d.svg"),
    ("plot", RUN, "--kind", "wavefront", "-o", "d.png"),
    ("plot", RUN, "--kind", "timeline", "--nodes", "0:1", "-o", "d.png"),
    ("report", RUN, "-o", "page.html"),
)
_DONE = ("text", "text", "bytes", "bytes", "gone", "folder", "empty", "none")


def _run_folder(number: int, draw: Draw) -> Case:
    what = f"{draw.random()}:{draw.choice(_DONE)}:{draw.randrange(2**32)}"
    return Case(number, "run folder", draw.choice(_LOOKS), run=f"{RUN}:{what}:")


_LOOKS_AT_A_MOTION = (
    ("explain", MOTION),
    ("explain", MOTION, "--json"),
    *(("plot", MOTION, "--kind", kind, "-o", "d.svg") for kind in ("angles", "force", "energy")),
    ("plot", MOTION, "--kind", "drift", "-o", "d.png"),
    ("plot", MOTION, "--kind", "poses", "-o", "d.pdf"),
    ("plot", MOTION, "--kind", "animation", "-o", "d.gif"),
    ("report", MOTION, "-o", "page.html"),
    ("diff", MOTION, MOTION),
    ("simulate", "random:3", "--impact", "--until", "0.03", "-o", MOTION),
    ("simulate", "random:3", "--impact", "--until", "0.02", "-o", MOTION, "--force"),
)


def _motion_folder(number: int, draw: Draw) -> Case:
    done = draw.choice([*_DONE, "link", "pipe"])
    what = f"{draw.random()}:{done}:{draw.randrange(2**32)}:{draw.choice(['', 'sealed'])}"
    return Case(number, "motion folder", draw.choice(_LOOKS_AT_A_MOTION), run=f"{MOTION}:{what}")


def _damage(folder: Path, share: str, done: str, seed: str, resealed: str) -> None:
    names = sorted(path.name for path in folder.iterdir())
    path = folder / (share if share == "run.json" else names[int(float(share) * len(names))])
    is_text = path.suffix in (".json", ".toml")
    if is_text or done not in ("text", "bytes"):
        content = path.read_text(encoding="utf-8") if is_text else ""
    else:
        done = "bytes"
    draw = random.Random(int(seed))
    if done == "bytes":
        path.write_bytes(damage.in_bytes(draw, path.read_bytes()))
    elif done == "text":
        path.write_bytes(damage.damaged(draw, content))
    elif done == "empty":
        path.write_bytes(b"")
    elif done != "none":
        path.unlink()
        if done == "folder":
            path.mkdir()
        elif done == "link":
            path.symlink_to(draw.choice(["/dev/zero", "nowhere", path.name, names[0], ".."]))
        elif done == "pipe":
            os.mkfifo(path)
    if resealed and path.name != SEAL:
        kept = [one for one in folder.iterdir() if one.is_file() and one.name != SEAL]
        (folder / SEAL).write_bytes(seal.of("run", {one.name: one.read_bytes() for one in kept}))


KINDS: dict[str, tuple[float, Callable[[int, Draw], Case]]] = {
    "file": (0.55, _file),
    "no file": (0.07, _no_file),
    "options": (0.28, _options),
    "run folder": (0.10, _run_folder),
    "motion folder": (0.10, _motion_folder),
}
