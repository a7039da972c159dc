"""What run.json says of every program of an arm, beside its name and n."""

from __future__ import annotations

from typing import Any


def about(
    *,
    form: str = "",
    refine: int = 0,
    contact: int = 0,
    contact_kind: str = "I",
    strategy: int = 0,
    elimination: str = "",
    motion: str = "",
    ahead: bool = False,
) -> dict[str, Any]:
    """Which variant it is; what is not given does not exist for the program."""
    return {
        "form": form,
        "refine": refine,
        "contact": contact,
        "contact_kind": contact_kind,
        "strategy": strategy,
        "elimination": elimination,
        "motion": motion,
        "ahead": ahead,
    }
