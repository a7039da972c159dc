"""What is true of any arm and any choice: both engines leave the same run, and its answer is certified."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import senn
from senn.algorithms.programs import variants
from senn.base.errors import InputError
from senn.machine import model
from senn.machine.placing import allocation

CHOICES = st.fixed_dictionaries(
    {
        "form": st.sampled_from(variants.FORMS),
        "residency": st.sampled_from(allocation.RESIDENCIES),
        "allocation": st.sampled_from(["identity", "gray", "bit-reversed", "rotated:3", "random:5"]),
        "refine": st.integers(0, 2),
        "machine": st.sampled_from(model.presets()),
        "set": st.dictionaries(
            st.sampled_from(["timing.startup", "timing.word", "timing.post", "timing.receive"]),
            st.integers(0, 10**6),
            max_size=3,
        ),
    }
)


@pytest.mark.exhaustive
@pytest.mark.rounding
@settings(max_examples=12, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(n=st.integers(1, 9), seed=st.integers(0, 999), sliding=st.integers(0, 10), choices=CHOICES)
def test_any_arm_with_any_choice(n: int, seed: int, sliding: int, choices: dict[str, object]) -> None:
    """Up to nine joints, none, some or all of them prismatic. Of these few arms some cannot give way to the
    contact that was drawn, and are refused."""
    problem = f"random:{n}:seed={seed}:prismatic={sliding / 10}"
    try:
        by_events, by_arrays = (
            senn.run(problem, engine=engine, check=engine == "events", **choices)
            for engine in ("events", "lockstep")
        )
    except InputError as error:
        assume("contact is singular" not in str(error))
        raise
    assert by_events.certificate["ok"]
    assert by_events.trace.hash == by_arrays.trace.hash
    assert by_events.result.keys() == by_arrays.result.keys()
    for name, answer in by_events.result.items():
        assert np.array_equal(answer, by_arrays.result[name]), name
