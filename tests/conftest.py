"""One thread for each process: the suite has a process for each core already."""

import os

# Read when Polars and OpenBLAS are first imported: here, and in every process that a test or worker starts.
for _name in ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
