"""The lockstep engine: the same run as that of the event engine, on whole arrays at once."""

from senn.machine.engines.lockstep.simulate import is_exact, makespan, simulate

__all__ = ["is_exact", "makespan", "simulate"]
