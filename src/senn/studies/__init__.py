"""Many runs as one table: grids of parameters, computed here or on a cluster, kept, compared."""

SPENT, JUDGED, COUNTED = "spent_", "certificate_", "instructions_"
"""Prefixes of columns: a label of the critical path, an entry of the certificate, the number of an array."""
CERTIFICATE = {"error": "error", "residual": "worst_residual", "digits": "digits", "ok": "ok"}
"""Entries of the certificate of a run by their columns."""
