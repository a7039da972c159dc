"""The event engine: message by message in SimPy, with memories that hold only what came to them."""

from senn.machine.engines.events.simulate import simulate

__all__ = ["simulate"]
