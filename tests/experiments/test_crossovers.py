"""Where the parallel program beats one node: the search, the figures, and what the command says."""

from collections.abc import Callable

import pytest

from experiments import costs
from experiments.paper import crossovers
from senn.machine import model


@pytest.mark.parametrize(
    ("won", "largest", "expected"),
    [
        (lambda n: n >= 20, 64, 20),
        (lambda n: n == 8 or n >= 10, 64, 10),  # at n = 9 there is a level more
        (lambda n: False, 64, None),
        (lambda n: True, 64, 2),
        (lambda n: 5 <= n <= 8, 64, None),
        (lambda n: n >= 60, 61, 60),
        (lambda n: 3 <= n <= 4 or 7 <= n <= 8 or n > 12, 100, 13),
    ],
)
def test_search_finds_what_trying_every_n_finds(
    won: Callable[[int], bool], largest: int, expected: int | None
) -> None:
    """The n from which on all are won, by halving brackets of equal M."""
    lost = [n for n in range(2, largest + 1) if not won(n)]
    after = max(lost, default=1) + 1
    assert expected == (after if after <= largest else None)
    assert crossovers.pays_from(won, largest) == expected


def test_fijany_s_machine_wins_from_12_and_from_11_if_messages_are_free() -> None:
    """Every n from 2 to 16 by itself; the same as the search finds. Up to 12 the null space is the rival."""
    races = {n: crossovers.race("fijany", n, "short") for n in range(2, 17)}
    assert [n for n in races if races[n].cycles < races[n].serial_cycles] == [12, 13, 14, 15, 16]
    assert [n for n in races if races[n].serial == "null space"] == [7, 8, 9, 10, 11, 12]
    assert crossovers.crossover("fijany", 16, "short") == (12, 11)


def test_speed_up_is_serial_cycles_over_makespan() -> None:
    """T800: cycles of an operation 13.3, of a sine 266; efficiency counts two processors a joint."""
    race = crossovers.race("t800", 32, "short")
    count = costs.CLOSED["outward"](32)
    cycles = 133 * (count.multiply + count.add + count.divide + 20 * count.trig)
    assert race.serial_cycles == -(-cycles // 10)
    assert race.serial == "outward"
    assert race.speed_up == float(f"{race.serial_cycles / race.cycles:.3g}")
    assert race.efficiency == pytest.approx(race.speed_up / 64, rel=0.01)
    assert race.free < race.cycles
    assert crossovers.race("t800", 6, "short").serial == "mass matrix"


def test_free_network_is_that_of_the_ideal_machine() -> None:
    """MasPar's operations all take 354 cycles, the ideal machine's one: the same without messages."""
    assert model.load("maspar").timing.add == 354
    maspar, ideal = (crossovers.race(name, 32, "short") for name in ("maspar", "ideal"))
    assert maspar.free == 354 * ideal.free
