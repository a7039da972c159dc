"""What every test process has: one thread, since there is a process for each core already, and few pauses.

Hypothesis draws other examples every time, unless `CI` is in the environment (`.ci/run` puts it there):
then they are always the same, so that what passed passes again.
"""

import gc
import os

from hypothesis import settings

# Read when Polars and OpenBLAS are first imported: here, and in every process that a test or worker starts.
for _name in ("POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

_SAME = "CI" in os.environ
settings.register_profile(
    "senn", deadline=None, derandomize=_SAME, database=None if _SAME else settings().database
)
settings.load_profile("senn")


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: looking through it again and again takes a tenth."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)
