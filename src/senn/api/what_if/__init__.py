"""What a recorded run would have been on other machines."""

from senn.api.what_if.retime import hiding, retime, retiming, sensitivities

__all__ = ["hiding", "retime", "retiming", "sensitivities"]
