"""`combine` from the front door: a run that says so, is certified, and can be made again from its record."""

import senn
from senn.api.recorded import program_of


def test_a_run_with_its_messages_together() -> None:
    """Everything on one array, where Newton-Euler goes side by side with the elimination."""
    apart, together = (
        senn.run("random:5:seed=1", form="short", arrays=1, combine=combine, machine="mark3")
        for combine in (False, True)
    )
    assert (apart.description["combined"], together.description["combined"]) == (False, True)
    assert together.summary["makespan"] < apart.summary["makespan"]
    assert together.certificate is not None
    assert together.certificate["ok"]
    assert (together.result["qdd"] == apart.result["qdd"]).all()
    assert together.summary["messages"] < apart.summary["messages"]
    assert str(program_of(together)) != str(program_of(apart))
    assert senn.retime(together).trace == together.trace
