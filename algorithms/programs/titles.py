"""The headings of Fijany VI.D, as listings print them above the steps; `{arrays}` is who does a step."""

TITLES = {
    "I": "Step I: Diagonalize Matrix A and Compute Lambda^-1 by Processor {arrays}",
    "I.a": "a. Projection and Computation of Matrix A",
    "I.b": "b. Diagonalize Matrix A",
    "I.c": "c. Compute Matrix Lambda^-1",
    "II": "Step II: Compute F_T and Vdot_0 by Processor {arrays}",
    "II.a": "a. Projection",
    "II.b": "b. Compute F_T",
    "II.c": "c. Compute Qdd_0",
    "II.d": "d. Compute Vdot_0",
    "III": "Step III: Compute F_{N+1} by Processor {last}",
    "IV": "Step IV: Compute Qdd by Processor {arrays}",
    "IV.a": "a. Compute tau'",
    "IV.b": "b. Compute Qdd_C",
}

OPEN_CHAIN = {
    prefix: title for prefix, title in TITLES.items() if prefix in ("I.a", "I.b", "II.a", "II.b", "II.c")
} | {
    "I": "Step I: Diagonalize Matrix A by Processor {arrays}",
    "II": "Step II: Compute F_T and Qdd_0 by Processor {arrays}",
}
"""What is left of them without a contact."""
