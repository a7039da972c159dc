"""What a recorded run would have been on other machines."""

from senn.api.what_if.retime import retime, retiming, sensitivities

__all__ = ["retime", "retiming", "sensitivities"]
