"""The machine: instruction set, networks, allocations, timing, placing, engines."""
