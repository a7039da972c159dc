"""Shell completion: names that a word may become, and files where a file may be given.

A shell calls `senn` itself for them, with _SENN_COMPLETE set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import click
from click.shell_completion import CompletionItem

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def completer(names: Callable[[], Iterable[str]], kind: str = "") -> Completer:
    """Completer of names by their beginning; if no name matches, of files ("file") or folders ("dir")."""

    def completed(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        items = [CompletionItem(name) for name in names() if name.startswith(begun)]
        return items or ([CompletionItem(begun, type=kind)] if kind else [])

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

    return [*(claim.name for claim in CLAIMS), "crossovers"]


def _words() -> Iterable[str]:
    from senn.cli.glossary import words

    return words()


def _runs() -> Iterable[str]:
    """Folders of runs, here and in runs/."""
    return sorted(str(file.parent) for where in ("*", "runs/*") for file in Path().glob(f"{where}/run.json"))


ROBOTS = completer(_robots)
BUNDLED_PROBLEMS = completer(_bundled)
PROBLEMS = completer(_problems, "file")
RUNS = completer(_runs, "dir")
PLOTTED = completer(lambda: [*_runs(), *_problems()], "dir")
FILES = completer(list, "file")
NETWORKS = completer(_networks, "file")
CLAIMS = completer(_claims)
EXPLAINED = completer(lambda: [*_runs(), *_words()], "dir")
BY_OPTION: dict[str, Completer] = {
    "algorithm": completer(_algorithms),
    "machine": completer(_machines, "file"),
    "allocation": completer(_allocations, "file"),
    "set": completer(_settings),
}
"""Completers of choices, by name."""
