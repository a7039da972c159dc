"""What every test process has: one thread, since there is a process for each core already, and few pauses."""

import gc
import os

# Read when Polars and OpenBLAS are first imported: here, and in every process that a test or worker starts.
for _name in ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: looking through it again and again takes a tenth."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)
