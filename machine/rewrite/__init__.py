"""Passes: functions from programs to programs, which know no robot, no node and no cycle.

`keep`: what some results need, and nothing else. `ahead`: values move on before they are updated.
`on_arrays`: which array does which step is data, which `read_assignment` reads; what then crosses is sent.
`combine`: ways to send in one message what goes to one place; `senn.machine.search.combining` chooses.
`on_units`: what a process computes is shared out between several arithmetic units of its node.
"""

from senn.machine.rewrite.ahead import ahead, earlier
from senn.machine.rewrite.keep import keep
from senn.machine.rewrite.lines import on_units
from senn.machine.rewrite.on_arrays import assignment_text, on_arrays, read_assignment

__all__ = ["ahead", "assignment_text", "earlier", "keep", "on_arrays", "on_units", "read_assignment"]
