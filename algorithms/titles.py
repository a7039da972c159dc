"""The headings of Fijany VI.D, as listings print them above the steps."""

TITLES = {
    "I": "Step I: Diagonalize Matrix A and Compute Lambda^-1 by Processor Array PR_{1,i}",
    "I.a": "a. Projection and Computation of Matrix A",
    "I.b": "b. Diagonalize Matrix A",
    "I.c": "c. Compute Matrix Lambda^-1",
    "II": "Step II: Compute F_T and Vdot_0 by Processor Array PR_{2,i}",
    "II.a": "a. Projection",
    "II.b": "b. Compute F_T",
    "II.c": "c. Compute Qdd_0",
    "II.d": "d. Compute Vdot_0",
    "III": "Step III: Compute F_{N+1} by Processor PR_{2,N}",
    "IV": "Step IV: Compute Qdd by Processor Array PR_{2,i}",
    "IV.a": "a. Compute tau'",
    "IV.b": "b. Compute Qdd_C",
}
