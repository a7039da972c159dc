"""The map of start-up and word time: every field a fresh run, the curve where it crosses the limit."""

from dataclasses import replace
from fractions import Fraction

import pytest

import senn
from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.choices import Residency
from senn.machine.engines import events
from senn.machine.model import Machine, load
from senn.machine.placing.schedule import Schedule
from senn.machine.timing import Retiming, hiding

ALPHAS, BETAS = [Fraction(1), Fraction(30)], [Fraction("0.2"), Fraction(2), Fraction(40)]


def _makespan(schedule: Schedule, machine: Machine, startup: float, word: float) -> int:
    timing = replace(machine.timing, startup=Fraction(startup), word=Fraction(word))
    run = events.simulate(schedule, replace(machine, timing=timing), None, detail="summary")
    return int(run.summary["makespan"])


@pytest.mark.parametrize(("preset", "residency"), [("fijany", "migrating"), ("mark3", "home")])
def test_fields_and_curve(preset: str, residency: Residency) -> None:
    machine = load(preset)
    schedule = senn.placed(variants.closed_chain(6), machine, residency)
    found = hiding(Retiming(schedule, machine), machine, ALPHAS, BETAS, Fraction(1, 10))
    assert found.free == _makespan(schedule, machine, 0, 0)
    assert found.makespan == _makespan(schedule, machine, machine.timing.startup, machine.timing.word)
    assert found.table.select("startup", "word").rows() == [
        (float(a), float(b)) for a in ALPHAS for b in BETAS
    ]
    fields = zip(
        found.table["makespan"], found.table["lost"], [(a, b) for a in ALPHAS for b in BETAS], strict=True
    )
    for cycles, lost, (startup, word) in fields:
        assert cycles == _makespan(schedule, machine, startup, word)
        assert lost == pytest.approx(1 - found.free / cycles)
    most = 1.1 * found.free
    assert found.curve.height > 5
    for word, startup in found.curve.rows()[::3]:
        assert _makespan(schedule, machine, startup - 1e-6 if startup else 0, word - 1e-9) <= most
        assert _makespan(schedule, machine, startup + 1e-6, word + 1e-9) > most
    assert found.curve["startup"].to_list() == sorted(found.curve["startup"], reverse=True)
    assert _makespan(schedule, machine, 0, found.curve["word"][-1] + 1e-6) > most, "no word may be slower"


def test_the_slowest_word_stands_once_on_the_curve() -> None:
    """Also where it is the first of those asked for, and none is inside."""
    machine = load("fijany")
    retiming = Retiming(senn.placed(variants.closed_chain(2), machine), machine)
    assert hiding(retiming, machine, ALPHAS, [Fraction(1)], Fraction(1)).curve["word"][-1] == 34
    assert hiding(retiming, machine, ALPHAS, [Fraction(34)], Fraction(1)).curve["word"].to_list() == [34]


def test_around_the_machine_itself() -> None:
    machine = load("fijany").with_settings({"timing.startup": 3, "timing.word": 2})
    found = hiding(Retiming(senn.placed(variants.closed_chain(2)), machine), machine)
    assert found.table["startup"].min() == pytest.approx(0.03)
    assert found.table["startup"].max() == pytest.approx(30)
    assert found.table["word"].max() == pytest.approx(20)
    title = " ".join(found.plot(caption="two").get_title(loc="left").split())
    highest = found.curve["startup"].max()
    assert title.startswith(
        f"The network costs at most 5 % only below start-ups of {highest:,.2g} cycles and above "
    )


def test_nothing_to_send_and_nowhere_hidden() -> None:
    machine = load("mark3")
    alone = hiding(Retiming(senn.placed(variants.closed_chain(1)), machine), machine, ALPHAS, BETAS)
    assert alone.table["lost"].max() < 1
    far = hiding(
        Retiming(senn.placed(variants.closed_chain(4)), machine), machine, [Fraction(9999)], [Fraction(99)]
    )
    assert far.curve.height == 0
    serial = senn.run("random:2", algorithm="forward-articulated", check=False)
    title = senn.hiding(serial).plot().get_title(loc="left")
    assert " ".join(title.split()) == "No machine of this map loses a cycle to its network"


def test_refused() -> None:
    machine = load("mark3")
    retiming = Retiming(senn.placed(variants.closed_chain(2)), machine)
    with pytest.raises(InputError, match="has values above 0"):
        hiding(retiming, machine, [Fraction(0)], BETAS)
    with pytest.raises(InputError, match="a map takes thousands of machines; control = "):
        hiding(retiming, machine.with_settings({"machine.control": "mimd"}))
