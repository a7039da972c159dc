"""Processes of users: those forked after a run lack the threads of Polars."""

import subprocess
import sys

import pytest

FORKS = """
import multiprocessing, senn
def call(_):
    return str({call})
{before}
with multiprocessing.get_context("fork").Pool(1) as pool:
    try:
        print(*pool.map_async(call, [0]).get(30))
    except senn.InputError as error:
        print(error)
"""
REFUSED = (
    "this process was forked from one that has used senn, without its threads; start processes with "
    'multiprocessing.get_context("spawn")'
)
RUN = "senn.run('random:3')"


@pytest.mark.fast("run")
@pytest.mark.parametrize(
    ("before", "call", "text"),
    [
        (RUN, RUN, REFUSED),
        (RUN, "senn.compare({'problem': 'random:3', 'detail': 'summary'})", REFUSED),
        (RUN + ".save('kept')", "senn.open_run('kept')", REFUSED),
        ("senn.steps('4,8')", "senn.steps('4,8').height", REFUSED),
        (RUN, "senn.run('random:3', detail='summary').certificate['ok']", REFUSED),
        ("pass", f"{RUN}.certificate['ok']", "True"),
    ],
    ids=["run", "compare", "open", "steps", "summary", "first"],
)
def test_a_process_forked_after_a_run_is_refused_tables(tmp_path, before, call, text):
    """Such a process would wait for ever; one that was forked before the first run works."""
    program = FORKS.format(call=call, before=before)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{text}\n"
