"""The classics: right by NumPy at every size and on every machine, their laws, and their refusals."""

from typing import Any

import numpy as np
import pytest

import senn
from senn import laws
from senn.algorithms import gallery
from senn.base.errors import InputError
from senn.machine import model

POWERS = ("sort", "fft")
SIZES = {
    **dict.fromkeys(gallery.NAMES, (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 16, 17, 23, 31, 32, 33, 48, 64, 65)),
    **dict.fromkeys(POWERS, (1, 2, 4, 8, 16, 32, 64)),
    "transpose": (4, 16, 64, 256),
    "matmul": (8, 64, 512),
}
"""Sizes that each takes; any size where odd ones are here."""
MACHINES: dict[str, dict[str, Any]] = {
    "hypercube": {"machine.network": "hypercube"},
    "torus": {"machine.network": "torus"},
    "ring": {"machine.network": "ring"},
    "one port": {"machine.ports": "one"},
    "no DMA": {"machine.dma": False},
    "MIMD": {"machine.control": "mimd"},
}


def solved(name: str, n: int, seed: int = 0, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Results of a classic on the machine, and those of NumPy."""
    classic = gallery.classic(name)
    numbers = classic.example(n, np.random.default_rng(seed))
    on = options.pop("machine", "mark3")
    run = senn.solved(classic.program(n), numbers, on, options.pop("residency", "migrating"), **options)
    return dict(run.result), classic.answer(numbers)


def agree(found: dict[str, Any], right: dict[str, Any]) -> None:
    assert found.keys() == right.keys()
    for name, numbers in right.items():
        assert found[name].shape == numbers.shape
        np.testing.assert_allclose(found[name], numbers, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("residency", ["home", "migrating"])
@pytest.mark.parametrize("name", gallery.NAMES)
def test_a_classic_agrees_with_numpy_at_every_size(name: str, residency: str) -> None:
    """Odd sizes and 2^k + 1 among them where it takes them; each of other numbers."""
    for n in SIZES[name]:
        agree(*solved(name, n, n, residency=residency))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", gallery.NAMES)
def test_a_classic_agrees_with_numpy_on_other_machines_message_by_message(name: str, machine: str) -> None:
    """With every memory checked at the end, and the trace's invariants in `senn.run`."""
    sizes = [n for n in SIZES[name] if 8 <= n <= 17][:2] or [8]
    on = model.load("t800").with_settings(MACHINES[machine])
    for n in sizes:
        agree(*solved(name, n, machine=on, engine="events", check=True))


@pytest.mark.parametrize("name", gallery.NAMES)
def test_both_engines_give_one_trace(name: str) -> None:
    for residency in ("home", "migrating"):
        program = gallery.classic(name).program(64)
        traces = [
            senn.timed(program, "mark3", residency, engine=x, detail="full") for x in ("events", "lockstep")
        ]
        assert traces[0].trace.hash == traces[1].trace.hash


@pytest.mark.parametrize("name", gallery.NAMES)
def test_the_law_is_exact_for_powers_of_two_and_a_bound_for_the_rest(name: str) -> None:
    """Instructions and network steps migrating, words at home, by `senn.laws`."""
    law, sizes = gallery.classic(name).LAW, [n for n in SIZES[name] if n > 1]
    migrating, home = (laws.sweep(name, sizes, "mark3", residency) for residency in ("migrating", "home"))
    counts = {
        "instructions": migrating.instructions(1),
        "network steps": migrating.network_steps(),
        "words": home.words(),
    }
    assert law.keys() == counts.keys()
    for key, count in counts.items():
        laws.at_most(count, law[key])
        powers = {n: number for n, number in count.by_n.items() if n & (n - 1) == 0 and n > 2}
        laws.equal(laws.Counts(key, powers), law[key])


@pytest.mark.parametrize("name", ["sort", "fft", "transpose", "matmul"])
def test_a_size_that_a_classic_refuses_is_one_line(name: str) -> None:
    refused = [n for n in range(2, 66) if n not in SIZES[name]]
    for n in refused:
        with pytest.raises(InputError, match=r"take \d+, \d+, \d+, \.\.\. processes$"):
            gallery.classic(name).program(n)


def test_every_comparison_of_the_sort_is_on_an_exchange_wire() -> None:
    """Migrating, partners are nodes that differ in the lowest bit: one hop, also of the sort of 64."""
    schedule = senn.placed(gallery.classic("sort").program(64), "mark3")
    messages = schedule.messages
    for task in schedule.tasks[0]:
        if task.step == "X.1":
            rows = slice(task.posts.start, task.posts.stop)
            nodes = messages.source_node[rows], messages.target_node[rows]
            assert (nodes[0] ^ nodes[1] == 1).all()
