"""How large the page of a run is, and how soon it is painted and painted again in a real browser.

Without numbers, machine mark3: `python benchmarks/report.py [--quick]`. Made (processor time) and painted
are in seconds; painted again, in milliseconds, is the median of 30 pictures. Times are those of a
computer that is not busy otherwise.
"""

import argparse
import shutil
import tempfile
import time
from pathlib import Path

from click.testing import CliRunner

from senn.api.recorded import open_run
from senn.cli.main import cli
from senn.cli.printing.report import report_content
from senn.traces.report import page

_AGAIN = """() => {
  const { timeline, view, facts } = Senn.page;
  const taken = [];
  for (let k = 0; k < 36; k += 1) {
    view.cycles((0.02 * k * facts.last) / 2, facts.last * (1 - 0.02 * k));
    const begun = performance.now();
    timeline.draw();
    taken.push(performance.now() - begun);
  }
  return taken.slice(6).sort((a, b) => a - b)[15];
}"""


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes only")
    sizes = (8, 64) if parser.parse_args().quick else (8, 64, 1024)
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        print("     n     bars      bytes   made  painted  painted again")
        for n in sizes:
            place = Path(folder) / str(n)
            words = ("run", f"random:{n}:seed=1", "--no-numbers", "-o", str(place))
            assert CliRunner().invoke(cli, words).exit_code == 0
            run = open_run(place)
            begun = time.process_time()
            text = page(run, report_content(run)).encode()
            made = time.process_time() - begun
            file = Path(folder) / f"{n}.html"
            file.write_bytes(text)
            tab = browser.new_page(viewport={"width": 1280, "height": 800})
            begun = time.perf_counter()
            tab.goto(file.as_uri())
            tab.wait_for_selector("html[data-ready]", state="attached")
            painted, again = time.perf_counter() - begun, tab.evaluate(_AGAIN)
            tab.close()
            bars = run.trace.activities.height + run.trace.hops.height
            print(f"{n:6,} {bars:8,} {len(text):10,} {made:6.2f} {painted:8.2f} {again:14.1f}", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
