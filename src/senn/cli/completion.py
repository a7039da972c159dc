"""What a shell offers for a word that is begun: names of what there is, and files where they are meant too.

A shell asks by running `senn` itself, with _SENN_COMPLETE set: see the README.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completer(names: Callable[[], Iterable[str]], kind: str = "") -> Completer:
    """Names that begin so; where none does, files ("file") or folders ("dir") if these are meant too."""

    def completed(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        found = [CompletionItem(name) for name in names() if name.startswith(begun)]
        return found or ([CompletionItem(begun, type=kind)] if kind else [])

    return completed


def _robots() -> Iterable[str]:
    from senn.algorithms import robots

    return robots.bundled()


def _bundled() -> Iterable[str]:
    from senn.algorithms import problems

    return problems.bundled()


def _problems() -> Iterable[str]:
    from senn.algorithms.robots import generators as generator_words

    generators = (f"{name.partition(':')[0]}:" for name in generator_words.DESCRIPTIONS)
    return dict.fromkeys([*_bundled(), *_robots(), *generators])


def _algorithms() -> Iterable[str]:
    from senn.algorithms.catalogue import ALGORITHMS

    return ALGORITHMS


def _machines() -> Iterable[str]:
    from senn.machine import model

    return model.presets()


def _allocations() -> Iterable[str]:
    from senn.machine.placing import allocation

    return allocation.NAMES


def _networks() -> Iterable[str]:
    from senn.machine.network import named

    return named.PURPOSES


def _settings() -> Iterable[str]:
    """Fields of a machine; of the network also its names."""
    from senn.machine import model

    yield from (f"{group}.{field}=" for group, fields in model.FIELDS.items() for field in fields)
    yield from (f"machine.network={name}" for name in _networks())


def _claims() -> Iterable[str]:
    from senn.experiments.claims import CLAIMS

    return [claim.name for claim in CLAIMS]


def _words() -> Iterable[str]:
    from senn.cli.glossary import words

    return words()


def _runs() -> Iterable[str]:
    """The folders of runs, here and in runs/."""
    return sorted(str(file.parent) for where in ("*", "runs/*") for file in Path().glob(f"{where}/run.json"))


ROBOTS = _completer(_robots)
BUNDLED_PROBLEMS = _completer(_bundled)
PROBLEMS = _completer(_problems, "file")
RUNS = _completer(_runs, "dir")
NETWORKS = _completer(_networks, "file")
CLAIMS = _completer(_claims)
EXPLAINED = _completer(lambda: [*_runs(), *_words()], "dir")
BY_OPTION: dict[str, Completer] = {
    "algorithm": _completer(_algorithms),
    "machine": _completer(_machines, "file"),
    "allocation": _completer(_allocations, "file"),
    "set": _completer(_settings),
}
"""Of choices, by name."""
