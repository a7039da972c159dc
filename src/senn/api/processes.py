"""`senn.mpi`: a problem solved by real processes, which exchange its messages with MPI."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree, which
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Thread
from typing import Any

from senn.algorithms.problems.problem import Problem
from senn.api import recorded, solving
from senn.api.arguments import with_choices
from senn.base.errors import InputError
from senn.base.files import locked
from senn.choices import ProcessChoices
from senn.machine import processes
from senn.machine.engines.control import Deadlock
from senn.machine.program import Program
from senn.traces.run import Run

_STARTED_BY = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK")
"""Variables of the environment of a rank."""


@with_choices(ProcessChoices)
def mpi(
    problem: str | os.PathLike[str] | Problem | Callable[[int], Program] = "ssrms",
    ranks: int = 2,
    *,
    repeat: int = 1,
    progress: Callable[[str], None] = lambda stage: None,
    before: Callable[[str], None] = lambda solving: None,
    **options: Any,
) -> Run:
    """Solve a problem on `ranks` processes of this computer that exchange its messages with MPI.

    Program, answers and certificate equal those of `senn.run`, to the bit. Times are measured, in nanoseconds
    (`clock_mhz` is 1000); of `repeat` executions the fastest is kept, and the description has the makespans
    of all as `description["processes"]["makespans"]`. Process i is on rank floor((i - 1) ranks / n), in all
    arrays. On the ranks of `mpiexec -n P`, on one computer or several, these take the place of `ranks`; rank
    0 returns the run and the others end.

    InputError without MPI, and for more ranks than processes; Deadlock if a rank dies.
    """
    calls: dict[str, Any] = {"progress": progress, "before": before}
    if any(name in os.environ for name in _STARTED_BY):
        return _on_ranks(problem, repeat, options, **calls)

    def launched(*placed: Any, **_: Any) -> Run:  # new processes place the program again: no kernel is sent
        with TemporaryDirectory(prefix="senn-mpi-") as folder:
            Path(folder, "arguments").write_bytes(pickle.dumps((problem, repeat, options)))
            launch(ranks, work, Path(folder, "run"))
            return recorded.open_run(Path(folder, "run"))

    return _run(problem, ranks, launched, options, **calls)


class _Done(KeyboardInterrupt):
    """The end of the work of a rank, in whoever's program it is."""


def _run(problem: Any, ranks: int, simulate: Any, options: Mapping[str, Any], **calls: Any) -> Run:
    placing: dict[str, Any] = {"allocation": processes.blocks, "residency": "home"}
    placing["machine"] = processes.machine_of(ranks)
    run = solving.run(problem, simulate=simulate, **options, **placing, **calls)
    return replace(run, description={**run.description, "engine": "mpi"})


def _on_ranks(
    problem: Any, repeat: int, options: Mapping[str, Any], folder: Path | None = None, **calls: Any
) -> Run:
    """`mpi` on a rank: rank 0 returns the run, or saves the engine's run in a folder; all others end.

    If one rank cannot read or place the problem, all ranks raise its error.
    """
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError):  # the library of MPI is missing
        raise InputError(_MISSING) from None
    comm, placed = MPI.COMM_WORLD, False

    def first_refusal(text: str) -> str:
        return next(filter(None, comm.allgather(text)), "")

    def simulate(*arguments: Any, **_: Any) -> Run:
        nonlocal placed
        placed = True
        if text := first_refusal(""):
            raise InputError(text)
        try:
            run = processes.simulate(*arguments, comm=comm, repeat=repeat)
        except Exception:
            traceback.print_exc()
            comm.Abort(1)
        if run and folder:
            run.save(folder)
        if folder or not run:
            raise _Done
        return run

    try:
        return _run(problem, comm.size, simulate, options, **calls)
    except _Done:
        sys.exit()
    except InputError as error:
        text = str(error) if placed else first_refusal(str(error))
        if comm.rank:
            sys.exit(2)
        raise InputError(text) from None


def environment(added: Mapping[str, str]) -> dict[str, str]:
    """Environment of each process that senn starts: no Python file of the current folder is run unasked."""
    return {**os.environ, **added, "PYTHONSAFEPATH": "1"}


def launch(ranks: int, function: Callable[[str], None], result: Path) -> None:
    """Call a function of a module with the place of its result on so many new processes, and wait for their
    end; if this process is killed, they end too, and the folder of the result goes.

    InputError without MPI; Deadlock, with the reason, if one of them dies.
    """
    mpiexec = which(
        "mpiexec", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    )
    if mpiexec is None or find_spec("mpi4py") is None:
        raise InputError(_MISSING)
    child = f"import sys; sys.path[:] = {sys.path}; import senn.api.processes as processes; "
    child += f"processes.begin(*{(function.__module__, function.__name__, str(result))})"
    command = [mpiexec, "-n", str(ranks), sys.executable, "-c", child]
    with TemporaryFile() as errors, locked(result.parent):
        with subprocess.Popen(
            command, env=environment(ENVIRONMENT), stdout=subprocess.DEVNULL, stderr=errors
        ) as launcher:
            try:
                # With a time it looks again and again: Polars has reads go on that Ctrl-C interrupted.
                launcher.wait(timeout=_NEVER)
            except BaseException:
                launcher.terminate()  # it ends its ranks
                raise
        if launcher.returncode:
            errors.seek(0)
            raise Deadlock(f"mpi: {_reason(errors.read().decode(errors='replace'))}")


_NEVER = 1e9  # s
_MISSING = "mpi needs mpi4py and an MPI, which are not installed: pip install 'senn[mpi]'"
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # more ranks than cores
    **dict.fromkeys(("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"), "1"),
}
"""Settings of Open MPI that other MPIs do not read."""


def _reason(errors: str) -> str:
    """Why mpiexec gave up, in a line of what it printed."""
    died = re.search(r"process rank (\d+).*?exited on\s+(signal \d+ \([^)]*\))", errors, re.DOTALL)
    if died:
        return f"rank {died[1]} was ended by {died[2]}; nothing was written"
    lines = [line.strip() for line in errors.splitlines() if line.strip(" -*")]
    return next(
        (line for line in lines if re.match(r"[\w.]+(Error|Exception)\b", line)), [*lines, "it failed"][0]
    )


def begin(module: str, name: str, result: str) -> None:
    """Call a function of a module on a rank, which finds modules where the process that launched it does."""

    def end_after_launcher() -> None:
        with locked(Path(result).parent, wait=True) as is_locked:
            if is_locked:  # the launcher was killed
                rmtree(Path(result).parent, ignore_errors=True)
                os._exit(1)  # on which mpiexec ends all ranks

    Thread(target=end_after_launcher, daemon=True).start()
    getattr(import_module(module), name)(result)


def work(result: str) -> None:
    """The work of a process that `mpi` started; rank 0 saves the run as the result."""
    place = Path(result)
    problem, repeat, options = pickle.loads(place.with_name("arguments").read_bytes())
    _on_ranks(problem, repeat, options, place)
