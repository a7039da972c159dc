"""Passes: functions from programs to programs, which know no robot, no node and no cycle.

`keep`: what some results need, and nothing else. `ahead`: values move on before they are updated.
`on_arrays`: which array does which step is data; what then crosses between arrays is sent.
"""

from senn.machine.rewrite.ahead import ahead, earlier
from senn.machine.rewrite.keep import keep
from senn.machine.rewrite.on_arrays import on_arrays

__all__ = ["ahead", "earlier", "keep", "on_arrays"]
