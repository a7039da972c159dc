"""Kernels of plain sums and differences, an addition an entry, and of vectors put together; of any size."""

from __future__ import annotations

import numpy as np

from senn.machine.program import Kernel
from senn.machine.program.ready import minus as minus
from senn.machine.program.ready import plus as plus

difference = Kernel("difference", "{0} - {1}", lambda x, y: x - y)
"""x - y, both required."""
total = Kernel("total", "{0} + {1}", lambda x, y: x + y)
"""x + y, both required."""
stacked = Kernel("stacked", "[{0}; {1}]", lambda x, y: np.concatenate([x, y], axis=-1))
