"""Arguments of Python: right ones of any type work, others are an InputError of one line."""

import pickle

import numpy as np
import pytest

import senn
from senn import laws
from senn.algorithms import problems
from senn.algorithms.programs import variants  # noqa: F401 - named in a row
from senn.api import timing
from senn.api.arguments import sizes
from senn.calibration import line  # noqa: F401 - named in a row

ARM = problems.load("random:5:seed=3")
Q = np.tile(ARM.q, (3, 1))
SSRMS = problems.load("ssrms")
ONE = laws.Counts("x", {3: 1})
SPEC = {"until": 0.03, "judge": 0}


def ran(**choices):
    return senn.run("random:2", machine="raw", numbers=False, **choices)


def asked(**arguments):
    return senn.problem(**{"spec": "ssrms"} | arguments)


def moved(torque):
    return senn.simulate("ur5_free", torque=torque, **SPEC)


def held(**options):
    return senn.simulate(**{"problem": "ssrms", "until": 1.0} | options)


ROWS = """
ran(arrays=2.0) => arrays is 2.0; write a number of arrays, or STEP=ARRAY
ran(arrays=None) => arrays is None; write a number of arrays
ran(arrays=9) => arrays is 9; write one of 1, 2, 3, 8, STEPS
ran(refine=1.0) => refine is 1.0; write a whole number from 0 to 5
ran(refine=True) => refine is true; write a whole number from 0 to 5
ran(strategy="1") => strategy is "1"; write one of 1, 2
ran(seed=-1) => seed is -1; write None or a whole number from 0 to 9223372036854775807
ran(seed=1.5) => seed is 1.5; write None or a whole number from 0 to
ran(check="false") => check is "false"; write true or false
ran(values="x") => values is "x"; write None or true or false
ran(algorithm=[]) => algorithm is []; write a text
ran(contact="wed") => contact is "wed"; write one of weld, plane, point, line, face, free; did
ran(form=3) => form is 3; write one of paper, short, omega
ran(lock=3) => lock: 3 is no text; write the name of a joint
ran(engine="lockstep", set={"machine.ports": "one"}) => ...use the events engine
ran(engine="lockstep", check=True) => ...no memory of a node that could be checked
senn.run("random:2", numbers="false") => numbers is "false"; write true or false
senn.run(SSRMS, seed=3) => seed: the problem ssrms is made already
senn.run("random:6", allocation=lambda n, m, p: [[0] * n] * 2) => ...lambda>: an allocation of 6 processes has
senn.run("random:6", allocation=lambda n, m, p: [[0], [0, 1]]) => ...lambda>: it returns no table: rows have
senn.timed(variants.closed_chain(3), engine="simpy") => engine "simpy" is not one of auto, events, lockstep
senn.timed(variants.closed_chain(3), "nowhere") => machine "nowhere" is not known
senn.solved(variants.closed_chain(3), ARM, engine="lockstep", check=True) => the engine "lockstep" has no
senn.solved(variants.closed_chain(3), ARM, algorithm="shut") => algorithm "shut" is not known: choose

senn.optimise(n=2.0) => n is 2.0; write a whole number
senn.optimise(n=2, seed=-1) => seed is -1; write a whole number from 0
senn.optimise(n=2, budget=1.5) => budget is 1.5; write a whole number from 1
senn.optimise(n=2, budget=0) => budget is 0; write a whole number from 1
senn.optimise(n=2, search="level") => search is "level"; write one of renamings, levels; did you mean levels?
senn.optimise(n=2, search="arrays") => search "arrays" is gone: give assignments of your own, --arrays I.b.4=2
senn.mpi("random:2", ranks=0) => ranks is 0; write a whole number from 1
senn.mpi("random:2", repeat=0) => repeat is 0; write a whole number from 1
senn.steps([1, 2.0], machine="raw") => n is 2.0; write a whole number from 1
senn.steps(2.0, machine="raw") => n is 2.0; write a whole number from 1
senn.steps(["2"], machine="raw") => n is "2"; write a whole number from 1
senn.steps("1:65536:1") => n "1:65536:1": 65,536 sizes with 2,147,516,416 links in all, at most 4,194,304;
senn.compare({"residense": "home"}) => residense is not known; the parameters are n, problem,
senn.compare({"form": ["paper", "papr"]}) => form is "papr"; write one of paper, short, omega
senn.compare("ssrms") => vary is 'ssrms'; write a table of values: compare({"problem":
senn.explain("nosuchword") => "nosuchword" is explained nowhere

asked(q={"elbow": 1}) => q: there is no joint 'elbow' in ssrms; did you mean 'elbow_pitch'
asked(q={"elbow_pitch": "x"}) => q of joint 'elbow_pitch' holds what is no number: 'x'
asked(gravity=[0, 0, np.nan]) => gravity: number 3 is nan; it must be finite
asked(contact={1: 2}) => contact is {1: 2}; its keys are texts, as those of a file
asked(tau=[np.nan] * 7) => tau: number 1 (shoulder_roll) is nan; it must be finite
asked(contact="glued") => contact is "glued"; write one of weld, plane,
asked(contact="I") => contact is "I"; write one of weld, plane,
asked(spec=7) => 7 is no problem: give a name, a path, or what senn.robot or senn.problem has made
asked(spec=SSRMS, seed=3) => seed: the problem ssrms is made already; leave seed out
asked(spec=SSRMS.chain, tip="x") => tip: the robot ssrms is made already; leave tip
asked(seed=1.5, spec="random:3") => seed is 1.5; write None or a whole number from 0 to
asked(seed="3", spec="random:3") => seed is "3"; write None or a whole number

senn.batch(ARM, q=Q[0]) => q has shape (5,); give (states, 5), a row for each state of random:5:seed=3
senn.batch(ARM, tau=np.zeros((2, 4))) => tau has shape (2, 4); give (states, 5)
senn.batch(ARM, q=np.zeros((0, 5))) => q has shape (0, 5)
senn.batch(ARM, q="abc") => q is no table of numbers; give (states, 5), a row for each state
senn.batch(ARM, tau=[[1.0], [1.0, 2.0]]) => tau is no table of numbers
senn.batch(ARM, q=Q, qd=Q[:2]) => q and qd have 3 and 2 states
senn.batch(ARM, q=Q, machine="none") => machine "none" is not known
senn.batch(ARM, q=Q * np.nan) => row 0: q: number 1 (joint_1) is nan; it must be finite

moved(np.zeros(5)) => torque has shape (5,), expected (6,)
moved("1,2") => torque has shape (2,), expected (6,)
moved(np.zeros((3, 6))) => torque has shape (3, 6), expected (rows, 7)
moved(np.array([[0.0] * 7, [0.01] * 7])) => torque covers 0 to 0.01 s; the motion needs 0 to 0.03 s
moved(np.array([[0.0] * 7, [0.0] * 7])) => torque: the times of its rows do not rise
moved(np.zeros((0, 7))) => torque has shape (0, 7), expected (rows, 7)
moved(np.full(6, np.nan)) => torque holds a number that is not finite
moved({"elbow": 1}) => torque is {'elbow': 1}; give numbers, a table, a file or a function
moved(np.ones(6) * 1j) => torque is array([0.+1.j
moved("nothing.csv") => nothing.csv: no such file
moved("mine.py") => mine.py: name its function of (t, q, qd): mine.py:FUNCTION
moved(lambda t, q, qd: q[:5]) => at t = 0 s: torque <lambda> gives shape (5,), expected (6,)
moved(lambda t, q, qd: "much") => at t = 0 s: torque <lambda> gives <U4, expected real numbers
moved(lambda t, q, qd: ["1"] * 6) => at t = 0 s: torque <lambda> gives <U1, expected real numbers
moved(lambda t, q, qd: q * 1j) => at t = 0 s: torque <lambda> gives complex128, expected real numbers
moved(lambda t, q, qd: [1, [2, 3], *q[2:]]) => at t = 0 s: torque <lambda>: ValueError: setting an array
moved(lambda t, q, qd: q / (t < 0.02)) => at t = 0.02 s: the motion diverges: tau of shoulder_pan_joint is
moved(lambda t, q, qd: {}[round(t, 3)] if t > 0.012 else q) => at t = 0.015 s: torque <lambda>: KeyError
senn.simulate("ur5_free", until=10.0, step=0.5, torque=lambda t, q, qd: -1e9 * q) => ...the motion diverges: q
held(until=0.0) => until is 0.0
held(step=float("nan")) => step is nan
held(step=0.03) => until 1 s is no whole number of steps
held(until=1e9) => 1e+09 s in steps of 0.01 s are more than 10,000,000 steps
held(integrator="euler") => integrator "euler" is not one of rk4, semi-implicit
held(judge=-1) => judge is -1
held(project="x") => project is "x"; write true or false
held(force=1) => force is 1; write true or false
held(algorithm="inverse-dynamics") => the algorithm inverse-dynamics computes inverse dynamics
held(algorithm="lambda") => the algorithm lambda computes operational space
held(problem=senn.problem("ur5_free", q=np.zeros(6), contact="weld"), impact=True) => at t = 0 s: contact is

laws.sweep(variants.closed_chain, []) => laws.sweep: no sizes
laws.line(laws.Counts("x", {3: 1, 4: 2})) => x: a line needs two n of different
laws.equal(ONE, "2 K") => ...there is no letter K; its letters are n, M
laws.equal(ONE, "n log n") => ...no letter
laws.equal(ONE, "") => ...is no formula
laws.equal(ONE, "n/0") => ...is no formula
laws.equal(ONE, "2 +") => ...is no formula
line([1], [1]) => a fit needs two positive times or more
line([1, 1], [1, 2]) => a fit needs two positive times or more
line([1, 2], [1, 0]) => a fit needs two positive times or more
line([1, 2], [1, np.nan]) => a fit needs two positive times or more
line([1, 2, 3], [1, 2]) => a fit needs two positive times or more
"""
"""An expression, and how its refusal begins, or after dots what is in it."""


@pytest.mark.parametrize(("expression", "text"), [row.split(" => ") for row in ROWS.splitlines() if row])
def test_a_refusal_is_one_clear_line(expression, text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(senn.InputError) as error:
        eval(expression)
    said = str(error.value)
    assert "\n" not in said
    assert text[3:] in said if text.startswith("...") else said.startswith(text)
    assert not list(tmp_path.iterdir())


def _summary(**choices):
    return senn.run("random:2", machine="raw", numbers=False, **choices).summary["makespan"]


@pytest.mark.parametrize(
    ("choices", "same"),
    [
        ({"arrays": np.int64(1)}, {"arrays": 1}),
        ({"refine": np.int8(1)}, {"refine": 1}),
        ({"strategy": np.uint64(1)}, {"strategy": 1}),
        ({"form": np.str_("short")}, {"form": "short"}),
        ({"combine": np.bool_(True)}, {"combine": True}),
    ],
)
def test_numbers_of_numpy_are_numbers(choices, same):
    assert _summary(**choices) == _summary(**same)


def test_sizes_that_take_long_are_not_refused():
    assert len(sizes("1:2047:1")) == 2047


def test_sizes_of_numpy_are_sizes():
    table = senn.steps(np.arange(1, 4), machine="raw")
    assert table.equals(senn.steps([1, 2, 3], machine="raw"))
    assert senn.steps(np.int64(2), machine="raw")["n"].to_list() == [2]


def test_problems_robots_and_timings_go_to_other_processes():
    """Pickled and back: the same answers; types of joints are those of the process."""
    for spec in ("random:3", "ssrms", "ur5"):
        problem = senn.problem(spec)
        copy = pickle.loads(pickle.dumps(problem))
        answer, same = (senn.run(each, machine="raw").qdd for each in (problem, copy))
        assert same.tolist() == answer.tolist()
        chain = pickle.loads(pickle.dumps(problem.chain))
        assert chain.joints == problem.chain.joints
    run = senn.run("random:2", numbers=False)
    timing = senn.retime(run, set={"timing.word": 9})
    copy = pickle.loads(pickle.dumps(timing))
    assert (copy.makespan, copy.by, copy.why) == (timing.makespan, timing.by, timing.why)
    assert copy.trace.hash == timing.trace.hash
    assert copy.run("summary").summary == timing.run("summary").summary


def test_a_size_that_is_too_large_is_refused_before_smaller_ones_are_timed(monkeypatch):
    right, made = timing.program_of, []

    def program_of(options, n):
        made.append(n)
        return right(options, n)

    monkeypatch.setattr(timing, "program_of", program_of)
    with pytest.raises(senn.InputError, match="n = 65537: more than 65,536 links"):
        senn.steps([4, 8, 65537], residency="home")
    assert made == [65537]
