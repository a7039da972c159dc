"""Passes: functions from programs to programs, which know no robot, no node and no cycle.

`keep`: only the lines that some results need. `ahead`: values move on before they are updated. `on_arrays`:
an assignment of steps to arrays is data, which `read_assignment` reads; values that cross are sent.
`combine`: ways to send values to one place in one message; `senn.machine.search.combining` chooses.
`on_units`: what a process computes is shared out between several arithmetic units of its node.
"""

from senn.machine.rewrite.ahead import ahead, earlier
from senn.machine.rewrite.keep import keep
from senn.machine.rewrite.lines import on_units
from senn.machine.rewrite.on_arrays import assignment_text, on_arrays, read_assignment

__all__ = ["ahead", "assignment_text", "earlier", "keep", "on_arrays", "on_units", "read_assignment"]
