"""`place`: a program, an allocation and a machine become a schedule - still only data, checked.

For every instruction that will be issued: who takes part, at which node each process sits at this level,
which messages it waits for, which it posts, and by which channels they travel. What
cannot run is refused here, before the first cycle, in the user's terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import ArrayLike

from senn.machine.model import Machine
from senn.machine.network.arrays import Wiring
from senn.machine.network.paths import slots
from senn.machine.network.topology import Integers
from senn.machine.placing.allocation import checked, residency_of
from senn.machine.placing.messages import Messages
from senn.machine.placing.places import Places
from senn.machine.placing.posting import posted
from senn.machine.placing.routes import Routes
from senn.machine.placing.tasks import Task, tasks
from senn.machine.program import Program
from senn.machine.program.dataflow import flow
from senn.machine.program.flow import Flow
from senn.traces.errors import InputError
from senn.traces.shown.allocation import Allocation
from senn.traces.shown.html import table


@dataclass(frozen=True, eq=False)
class Schedule:
    """A program placed: the tasks of each array's control unit and the messages between their lanes."""

    flow: Flow
    allocation: Integers  # (arrays, M + 1, n)
    placed_on: Mapping[str, str | int | bool]  # the fields of the machine that were read
    wiring: Wiring
    tasks: tuple[tuple[Task, ...], ...]
    messages: Messages
    slot_node: Integers
    results: Mapping[str, Integers]  # by name, the slots of a result, one per process that has it

    @property
    def program(self) -> Program:
        return self.flow.program

    def _repr_html_(self) -> str:
        """The program, what it posts, and where its processes live."""
        places = Allocation("allocation", residency_of(self.allocation), self.allocation)
        said = {
            "nodes of an array": self.wiring.nodes,
            "instructions": sum(map(len, self.tasks)),
            "network steps": self.network_steps(),
        }
        return self.program._repr_html_() + table(said.items()) + places._repr_html_()

    def describe(self) -> dict[str, Any]:
        """Program, allocation, nodes of an array and network steps, for run.json.

        The allocation is `table`, M + 1 rows of nodes, or `tables` where the arrays have different ones.
        """
        p, first = self.program, self.allocation[0]
        shared = bool((self.allocation == first).all())
        return {
            "program": {
                "name": p.name,
                "n": p.n,
                **{name: x for name, x in p.about.items() if isinstance(x, str | int)},
            },
            "allocation": {"table": first.tolist()} if shared else {"tables": self.allocation.tolist()},
            "schedule": {"nodes": self.wiring.nodes, "network_steps": self.network_steps()},
        }

    def network_steps(self) -> int:
        """Sum over sends and arranges of the slots that the messages of that instruction alone need:
        one message per channel and slot, first come first served."""
        return sum(self.slots)

    @cached_property
    def slots(self) -> tuple[int, ...]:
        """The slots that the messages of each task alone need, array by array."""
        posting = (task.posts for tasks in self.tasks for task in tasks)
        return tuple(slots(self.messages.paths.part(p)) for p in posting)


def place(program: Program | Flow, allocation: ArrayLike, machine: Machine) -> Schedule:
    """Place `program` on `machine` with `allocation`, a table (M + 1, n) of nodes or one for each array.

    Who places one program often gives its flow, which depends neither on the machine nor on the table.
    Raises InputError where the schedule could not run: an operand that nobody sends, a value that is at
    another node than its reader, a value written twice, a message that nothing reads, a bad table.
    """
    found = program if isinstance(program, Flow) else flow(program)
    said = found.program
    if machine.arrays_at_once and said.arrays > machine.arrays_at_once:
        raise InputError(
            f"the program runs on {said.arrays} arrays at once, but machine {machine.name} has "
            f"{machine.arrays_at_once}: take a program of fewer arrays, or set machine.arrays_at_once"
        )
    network = machine.network_for(said.levels)
    tables = checked(allocation, said.n, network.nodes, said.arrays)
    places = Places.of(found, tables)
    routes = Routes(tables, network, machine.routing)
    messages = posted(places, routes)
    return Schedule(
        flow=found,
        allocation=tables,
        placed_on=machine.network_fields(),
        wiring=routes.wiring,
        tasks=tasks(places, messages),
        messages=messages,
        slot_node=places.node[places.same] if places.dropped else places.node,
        results={name: places.same[slots] for name, slots in found.results.items()},
    )
