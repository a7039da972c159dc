"""`senn.run`: a problem solved on the machine, its inputs hashed, and its answers certified."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Unpack, cast

from numpy.typing import ArrayLike, NDArray

from senn import __version__
from senn.algorithms import account, catalogue, gallery, problems
from senn.algorithms.account import sections
from senn.algorithms.answers import FORWARD
from senn.algorithms.catalogue import Algorithm
from senn.algorithms.certificate.certificate import DOUBLE, SINGLE, Certificate
from senn.algorithms.certificate.certify import certify
from senn.algorithms.certificate.pinocchio import Pinocchio
from senn.algorithms.problems.problem import Problem
from senn.algorithms.robots import toml_files
from senn.algorithms.spatial import Numbers
from senn.api import building, own, programs
from senn.api.arguments import unwarned, with_choices
from senn.api.building import Question, Shared, algorithm_of, program_of
from senn.api.problems import problem_of
from senn.base import files
from senn.base.digest import digest
from senn.base.errors import InputError
from senn.choices import (
    DEFAULT_MACHINE,
    Detail,
    Engine,
    ProblemChoices,
    ProgramChoices,
    Residency,
    RunChoices,
    choices,
)
from senn.machine import engines, invariants
from senn.machine.engines import classes, engine_of, events
from senn.machine.engines.classes import Timed
from senn.machine.engines.memory import given, rounded
from senn.machine.model import Machine
from senn.machine.network.named import is_graph_file
from senn.machine.placing.allocation import Function
from senn.machine.placing.schedule import Schedule, hash_of, scores
from senn.machine.program import Program
from senn.machine.program.flow import Flow
from senn.machine.rewrite import read_assignment
from senn.traces import run as runs
from senn.traces.run import Run

STAGES = ("reading", "placing", "simulating", "checking", "certifying")
"""Stages of `run`, in order; `progress` is called with each."""

KEEP_VALUES_UP_TO = 32
"""Largest number of processes for which a run keeps every value and payload by default, for replays."""


@with_choices(RunChoices)
@unwarned
def run(
    problem: str | PathLike[str] | Problem | Callable[[int], Program] = "ssrms",
    *,
    progress: Callable[[str], None] = lambda stage: None,
    before: Callable[[str], None] = lambda solving: None,
    shared: Shared | None = None,
    simulate: Callable[..., Run] | None = None,
    **options: Unpack[RunChoices],
) -> Run:
    """Solve a problem on arrays of processors, message by message, and certify the answer.

    `problem` is a bundled name, a generator text, a TOML file, a URDF with `tip`, or a Problem. Algorithms of
    the open chain ignore a contact, with a note. Or `problem` is a program of your own, FILE.py:FUNCTION or
    the function, with its numbers in `given` and without a certificate; or a classic, "sort:64", with numbers
    from the seed or in `given`, whose results are compared with NumPy's. `allocation` may be a table (M + 1,
    n) or a table for each array, and `machine` a Machine. All engines give the same run to the cycle and bit;
    "lockstep" is refused on machines where it is not exact, and only "events" has memories to `check`.
    `bounds` adds two makespans of the schedule to the description, without and with more communication: T0 on
    a free network, and T_block where a send returns on delivery. `progress(stage)` is called as each of
    STAGES begins, and `before(inputs)` with the hash of all inputs before the simulation: an error that it
    raises ends the run. Runs with one `shared` place a program once and, on the lockstep engine, solve and
    certify a problem once. `simulate` takes the place of `senn.machine.engines.simulate`.

    Without `numbers` the timing alone runs (durations never depend on data): the same trace, but no result
    and no certificate.

    The run's `result` has the answers of the algorithm; of the closed chain qdd and qdd0 (degrees,), the main
    chain's joints and then those of side branches, force (6,), lambda_inverse (6, 6), acceleration0 (6,) and
    the interbody forces, forces (n, 6), of the main chain. Its `certificate` compares them with the refined
    solution. No file is written: `run.save(folder)` writes one.
    """
    if options["values"] and not options["numbers"]:
        raise InputError("values are kept of a run with numbers; leave --values out, or --no-numbers")
    progress("reading")
    machine, shared = programs.loaded(options["machine"], options["set"]), shared or Shared()
    engine = simulate or engine_of(options["engine"], machine, options["check"])
    if callable(problem) or own.is_own(problem):
        question = _of_own(problem, options)
    else:
        question = _of_arm(problem, options, shared)
    progress("placing")
    with own.guard(problem):
        placed = shared.placed(question.program, machine, options)
    inputs = _inputs_hash(question.inputs, options, machine, placed)
    before(inputs)
    progress("simulating")
    with own.guard(problem):
        run = _simulated(question, placed, machine, options, engine)
    if options["check"] and isinstance(placed, Schedule):
        progress("checking")
        invariants.check(placed, machine, run.trace)
        invariants.check_free_network(placed, machine, events.simulate)
        invariants.check_repeats(placed, machine, events.simulate)
    ran = {"engine": engine if isinstance(placed, Schedule) else "classes", "inputs": inputs}
    run = replace(run, description=_description(run, question, placed, machine, options) | ran)
    if options["numbers"] and question.certified is not None:
        progress("certifying")
        if run.result or question.solution is None:
            question.solution = question.certified(run.result)
        answers, certificate = question.solution
        judged = runs.Certificate.of(certificate.as_dict(), answers)
        run = replace(run, result=answers, certificate=judged)
    return replace(run, sections=sections).at_detail(options["detail"])


def solved(
    program: Program | Flow | Schedule | Callable[[int], Program],
    given: Problem | Mapping[str, NDArray[Any]],
    machine: str | PathLike[str] | Machine = DEFAULT_MACHINE,
    residency: Residency = "migrating",
    allocation: str | ArrayLike | Function = "identity",
    *,
    algorithm: str = "closed-chain",
    engine: Engine = "auto",
    detail: Detail = "full",
    check: bool = False,
    values: bool | None = None,
) -> Run:
    """A program run with numbers, placed as `timed` does.

    If `given` is a problem, `algorithm`, a name of `senn list algorithms`, fills the memory and reads the
    answers: the run's `result` is as in `senn.run`. Or `given` is the memory by letter, each value with a row
    for every process 1..n; the result is then the program's, with a row for every process that has one. If
    `program` is a function of n, n is the number of rows, and the record names the function. Options are
    `algorithm`, `engine` (by default the quicker one that is exact), `detail`, `check` and `values`. `check`
    verifies at the end that every memory holds the values resident, written or received there (engine
    "events" only); `values` keeps every value and payload.
    """
    if callable(program):
        placing: dict[str, Any] = {"machine": machine, "residency": residency, "allocation": allocation}
        options: dict[str, Any] = {"engine": engine, "detail": detail, "check": check, "values": values}
        return run(program, given=cast(Any, given), algorithm=algorithm, **placing, **options)
    on = programs.loaded(machine)
    schedule = programs.placed(program, on, residency, allocation)
    entry = catalogue.algorithm(algorithm)
    memory = given if isinstance(given, Mapping) else entry.memory(given)
    kept: dict[str, Any] = {"detail": detail, "check": check, "keep_values": bool(values)}
    simulated = engines.simulate(schedule, on, memory, engine=engine, **kept)
    result = simulated.result if isinstance(given, Mapping) else dict(entry.answers(given, simulated.result))
    return replace(simulated, result=result, sections=account.program)


def _of_arm(problem: str | PathLike[str] | Problem, options: RunChoices, shared: Shared) -> Question:
    request = problem_of(problem, options)
    algorithm = algorithm_of(options)
    if own.is_own(options["algorithm"]) or options["given"] is not None:
        raise InputError(
            "a program of your own, FILE.py:FUNCTION, takes the place of the problem; given has its numbers"
        )
    if options["precision"] != "double" and algorithm.whole:
        raise InputError(
            f'precision "{options["precision"]}": the algorithm {algorithm.name} solves serially, in double '
            "precision; leave --precision out, or take a parallel algorithm"
        )
    solvable = request if algorithm.closed else problems.free(request)
    noted = _noted(solvable, algorithm, options["numbers"])
    if options["against"] == "pinocchio":
        if not options["numbers"]:
            raise InputError("--against pinocchio compares numbers; leave it out, or --no-numbers")
        Pinocchio(noted)  # refuses what it cannot judge
    chain = noted.chain

    def judged(result: Mapping[str, NDArray[Any]]) -> tuple[dict[str, Numbers], Certificate]:
        answers = dict(algorithm.answers(noted, result))
        return answers, certified(noted, answers, algorithm, options)

    contents: object = problem  # one made in Python counts by its numbers, one that was read by its texts
    if not isinstance(problem, problems.Problem):
        is_file = Path(problem).suffix.lower() in (".toml", ".urdf", ".xml")
        texts = map(files.content, toml_files.with_named(Path(problem))) if is_file else [str(problem)]
        contents = [*texts]
    inputs = [request.name, contents]
    entry = building.problem_entry(noted)

    def question() -> Question:
        program = program_of(options, chain.n, chain.joints, noted.contact.shape, noted)
        entries = {"algorithm": algorithm.name, "problem": entry}
        return Question(program, lambda: algorithm.memory(noted), chain.n, inputs, entries, judged)

    values: dict[str, Any] = {**options, "arrays": read_assignment(options["arrays"])}
    names = (*choices(ProblemChoices), *choices(ProgramChoices), "precision", "digits", "against", "numbers")
    beside = {name: values[name] for name in names} | {"residency": values["residency"] == "ahead"}
    return shared.latest("question", digest([inputs, entry, beside]), question)


def _of_own(spec: str | Callable[[int], Program], options: RunChoices) -> Question:
    function, count = own.sized(spec) if isinstance(spec, str) else (spec, "")
    draws = function in gallery.NAMES and options["given"] is None
    for name in ("algorithm", "against", *choices(ProblemChoices)):
        if dict(options)[name] != choices(RunChoices)[name].default and not (draws and name == "seed"):
            who = f"the classic {function}" if function in gallery.NAMES else "a program of your own"
            raise InputError(f"{name}: {who} has no robot; leave {name} out")
    seed, digits = options["seed"] or 0, options["digits"]
    memory = own.numbers(options["given"], spec, timed=not options["numbers"], seed=seed)
    program = program_of(cast(RunChoices, {**options, "algorithm": function}), own.size(memory, count))
    contents = given(program, memory) if memory else None
    inputs = [program.about.get("function"), program.about.get("sha256"), contents]
    name = program.about.get("function", program.name)

    def judged(result: Mapping[str, NDArray[Any]]) -> tuple[dict[str, Numbers], Certificate]:
        required = digits or (DOUBLE if options["precision"] == "double" else SINGLE)
        return dict(result), own.certificate(str(function), memory, result, required)

    entries = {"algorithm": name, "problem": None}
    certified = judged if function in gallery.NAMES else None
    return Question(program, lambda: memory, program.n, inputs, entries, certified)


def _noted(problem: Problem, algorithm: Algorithm, numbers: bool) -> Problem:
    """The problem, with a note for each assumption in the operation count of a serial algorithm."""
    revolute = all(joint == "revolute" for joint in problem.chain.joints)
    counted = []
    if algorithm.whole and (problem.chain.branches or not revolute):
        counted.append("those of a chain of as many revolute joints")
    if numbers and algorithm.counted == "n_c joints" and problem.contact.constrained:
        counted.append("those of a contact that is solved after n_c joints")
    if numbers and algorithm.counted == "n iterations":
        counted.append("those of n iterations; rounding makes it take more")
    if not counted:
        return problem
    notes = (f"the operations, and so the makespan, are {text}" for text in counted)
    return replace(problem, remarks=(*problem.remarks, *notes))


def _simulated(
    question: Question, placed: Schedule | Timed, machine: Machine, options: RunChoices, engine: Any
) -> Run:
    """The run of a schedule by an engine, or of classes, with the program's own result and description."""
    numbers, detail, check = options["numbers"], options["detail"], options["check"]
    keep_all = question.n <= KEEP_VALUES_UP_TO if options["values"] is None else options["values"]
    keep = bool(numbers and keep_all)
    solved = question.solution and engine == "lockstep" and not keep
    memory = rounded(question.memory(), options["precision"]) if numbers and not solved else None
    if isinstance(placed, classes.Timed):
        return classes.run_of(placed, machine, memory)
    recorded: Detail = "full" if check else detail  # the invariants are those of the whole trace
    simulate: Callable[..., Run] = engine if callable(engine) else partial(engines.simulate, engine=engine)
    return simulate(placed, machine, memory, detail=recorded, check=check, keep_values=keep)


def _description(
    run: Run, question: Question, placed: Schedule | Timed, machine: Machine, options: RunChoices
) -> dict[str, Any]:
    """Entries of run.json; the bounds are T0 <= T, and T_block, which queues may make smaller than T."""
    bounds, makespan = {}, int(run.summary["makespan"])
    if options["bounds"] and isinstance(placed, Schedule):
        without_dma = machine.with_settings({"machine.dma": False})
        blocking = events.simulate(placed, without_dma, None, detail="summary").summary["makespan"]
        free = invariants.free_network(placed, machine)
        bounds = {"bounds": {"free_network": free, "makespan": makespan, "blocking": blocking}}
    return {
        **run.description,
        **question.entries,
        **building.run_entries(options),
        **bounds,
        "allocation": building.allocation_entry(options, run.description["allocation"]),
        "schedule": {**run.description["schedule"], "hash": hash_of(placed.program, machine)},
        "scores": asdict(scores(placed, makespan) if isinstance(placed, Schedule) else placed.scores),
        "versions": building.versions(),
    }


def _inputs_hash(inputs: object, options: RunChoices, machine: Machine, placed: Schedule | Timed) -> str:
    """SHA-256 of all inputs: problem and its name, options, machine, allocation and version.

    Options at their defaults are left out, so that a new option does not change the hash of a run.
    """
    network, allocation = machine.network, options["allocation"]
    name, is_table = allocation if isinstance(allocation, str) else None, not building.is_named(allocation)
    solving = {
        "senn": __version__,
        "problem": inputs,
        "arrays": read_assignment(options["arrays"]),
        "machine": machine.describe(),  # with its fields set
        "network": files.content(network) if is_graph_file(network) else network,
        "allocation": [name, placed.allocation] if is_table and isinstance(placed, Schedule) else name,
    }
    values: dict[str, Any] = {**options}
    rows = [row for row in choices(RunChoices).values() if row.name not in (*solving, "given", "set")]
    return digest(solving | {row.name: values[row.name] for row in rows if values[row.name] != row.default})


def certified(
    problem: Problem, answers: Mapping[str, Numbers], algorithm: Algorithm, options: RunChoices
) -> Certificate:
    """Certificate of a run's answers, with a way out if they have too few digits."""
    refine = options["refine"]
    if options["precision"] == "single":
        way_out = "Try --precision double"
    elif "elimination" in algorithm.choices and options["elimination"] == "oee":
        way_out = f"Try --elimination oer --refine {max(refine, 1)}"
    elif "refine" in algorithm.choices and refine < (choices(RunChoices)["refine"].most or 0):
        way_out = f"Try --refine {refine + 1}"
    elif algorithm.question == FORWARD:
        way_out = "Try --algorithm closed-chain --elimination oer --refine 1"
    else:
        way_out = "Ask for fewer digits (--digits)"
    promised = algorithm.promised(problem)
    limits: dict[str, Any] = {"digits": options["digits"], "against": options["against"]}
    return certify(problem, answers, quantities=promised, **limits, way_out=way_out)


def default_folder(run: Run) -> Path:
    """Folder where `senn run` keeps a run by default: runs/<problem>-<first 12 digits of its inputs' hash>.

    The hash covers every input, so runs of different inputs are in different folders, and an equal run made
    again is in the same one.
    """
    description = run.description
    named = description["problem"] or description["program"]
    return building.folder_named(named["name"], description["inputs"])
