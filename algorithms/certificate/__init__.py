"""The certificate: answers of a run held against independent serial solvers, with tolerances from
rounding."""
