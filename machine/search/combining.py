"""Fewer start-ups: which messages of a program go together, as a machine has it."""

from __future__ import annotations

from collections.abc import Iterator

from senn.machine.engines import events, lockstep
from senn.machine.engines.control import Deadlock
from senn.machine.model import Machine
from senn.machine.network.topology import Integers
from senn.machine.placing.schedule import place
from senn.machine.program import Program
from senn.machine.rewrite.combine import Way, alongs, neighbours, pairs
from senn.traces.errors import InputError


def combined(program: Program, table: Integers, machine: Machine) -> Program:
    """The program with those messages together that make it no slower on this machine and allocation.

    Loops side by side and what goes along with another are kept where the makespan is less, pairs of messages
    where it is not more. Each is tried in the order of the text, on what was kept before, by a run of the
    timing alone; so the same program, table and machine give the same program.
    """
    return _Search(table, machine).over(program)


class _Search:
    def __init__(self, table: Integers, machine: Machine) -> None:
        self.table, self.machine = table, machine

    def over(self, program: Program) -> Program:
        least = self._makespan(program)
        assert least is not None
        tried: set[Way] = set()
        while way := next((x for x in self._larger(program) if x not in tried), None):
            tried.add(way)
            found = self._all_pairs(way(program), {*pairs(program)})
            cycles = None if found is None else self._makespan(found)
            if found is not None and cycles is not None and cycles < least:
                program, least = found, cycles
        while way := next((x for x in pairs(program) if x not in tried), None):
            tried.add(way)
            cycles = self._makespan(found := way(program))
            if cycles is not None and cycles <= least:
                program, least = found, cycles
        return program

    @staticmethod
    def _larger(program: Program) -> Iterator[Way]:
        yield from neighbours(program)
        yield from alongs(program)

    def _all_pairs(self, program: Program, before: set[Way]) -> Program | None:
        """With all pairs of messages together that there were not before, as far as they can be."""
        if not self._runs(program):
            return None
        tried = set(before)
        while way := next((x for x in pairs(program) if x not in tried), None):
            tried.add(way)
            found = way(program)
            program = found if self._runs(found) else program
        return program

    def _runs(self, program: Program) -> bool:
        try:
            place(program, self.table, self.machine)
        except InputError:
            return False
        return True

    def _makespan(self, program: Program) -> int | None:
        """None if it cannot run."""
        engine = lockstep if lockstep.is_exact(self.machine) else events
        try:
            schedule = place(program, self.table, self.machine)
            run = engine.simulate(schedule, self.machine, None, detail="summary")
        except (InputError, Deadlock):
            return None
        return int(run.summary["makespan"])
