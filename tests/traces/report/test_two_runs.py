"""Two runs above each other on one time axis: by cycles, or by time where their clocks differ."""

from itertools import product

import pytest

import senn
from senn.base.account import Section
from senn.base.tables import table
from senn.cli.printing.report import report_content
from senn.traces import report
from senn.traces.report.contents import with_times

TIMES = {"A": "4,821.2", "B": "79.4"}
"""Microseconds of the runs, as `senn run` prints them."""


@pytest.fixture(scope="module")
def runs():
    """The same problem on machines of 16 and of 3,000 MHz."""
    return [senn.run("random:3", machine=machine) for machine in ("mark3", "cluster")]


@pytest.fixture(scope="module")
def shown(opened, runs):
    a, b = runs
    return opened(report.page(a, report_content(a), beside=(b, report_content(b))))


def _windows(shown):
    return shown.of("Senn.pages.map(({ view }) => [view.state.from, view.state.to])")


def test_both_are_seen_at_once(shown):
    """One above the other, each named, in one window; every id occurs once."""
    shown.tab.locator("#timeline-title").scroll_into_view_if_needed()
    upper, lower = (shown.tab.locator(name).bounding_box() for name in ("#timeline", "#timeline-b"))
    assert upper["y"] + upper["height"] < lower["y"]
    assert lower["y"] + lower["height"] - upper["y"] < 800
    assert (upper["x"], upper["width"]) == (lower["x"], lower["width"])
    headings = shown.tab.locator("h2").all_inner_texts()
    assert any(text.startswith("Timeline A · random:3") and "mark3" in text for text in headings)
    assert any(text.startswith("Timeline B · random:3") and "cluster" in text for text in headings)
    assert any("cycles = " in text and text.endswith(" us") for text in headings)
    ids = shown.of("Array.from(document.querySelectorAll('[id]'), ({ id }) => id)")
    assert len(ids) == len(set(ids))
    assert (shown.said, shown.asked) == ([], [])


def test_the_axis_is_time_where_clocks_differ(shown, runs):
    """A microsecond stands at the same place in both, whichever of them is moved."""
    clocks = [float(run.description["machine"]["clock_mhz"]) for run in runs]
    shown.drawn("page.view.cycles(1000, 9000)")
    (a, b), (c, d) = _windows(shown)
    assert (a, b) == (1000, 9000)
    assert [c / clocks[1], d / clocks[1]] == pytest.approx([a / clocks[0], b / clocks[0]])
    shown.drawn("Senn.pages[1].view.cycles(0, 30000)")
    assert _windows(shown)[0] == pytest.approx([0, 160])
    at = "Senn.pages.map(({ facts, timeline }) => timeline.layout().x(7 * facts.clock))"
    assert shown.of(at)[0] == pytest.approx(shown.of(at)[1])
    assert shown.of("Senn.axis.label(page.facts, 16000)") == "1,000 µs"
    canvas = shown.tab.locator("#timeline")
    canvas.hover(position={"x": shown.of("page.timeline.layout().x(16.5)"), "y": 45})
    assert shown.tab.locator(".tip:visible").inner_text().startswith("cycle 16 (1 µs), array 1")


def test_times_stand_beside_cycles_where_clocks_differ(shown, runs):
    """In what is chosen, in the sums of a range, in the tables and at the replay, each run by its clock."""
    shown.drawn("Senn.pages.forEach(({ pick }) => pick.choose({ kind: 'instruction', row: 0 }))")
    for run, suffix in zip(runs, ("", "-b"), strict=True):
        clock = float(run.description["machine"]["clock_mhz"])
        end = run.trace.instructions["end"][0]
        text = shown.tab.locator(f"#detail{suffix}").inner_text()
        assert f"0 (0 µs) to {end:,} ({end / clock:.4g} µs): {end:,} ({end / clock:.4g} µs) cycles" in text
    shown.drawn("page.pick.choose({ kind: 'message', row: 0 })")
    posted = runs[0].trace.messages["posted"][0]
    assert f"{posted:,} ({posted / 16:.4g} µs)" in shown.tab.locator("#detail dd").all_inner_texts()
    shown.drawn("page.pick.choose({ kind: 'range', from: 0, to: 16 })")
    assert "16 (1 µs)" in shown.tab.locator("#detail td").all_inner_texts()
    for section, (run, letter) in product(("Where the cycles went", "Answer"), zip(runs, "AB", strict=True)):
        part = shown.tab.locator(f"section:has(> h2:has-text('{section}'))").filter(has_text=f" {letter} · ")
        makespan = run.summary["makespan"]
        assert f"{makespan:,} ({TIMES[letter]} µs)" in part.locator("td").all_inner_texts()
    assert shown.tab.locator("#cycle-now").inner_text().startswith("0 (0 µs) of ")


def test_only_cycles_get_a_time():
    """1,600 cycles at 16 MHz; a count and what is not told stay as they are, as does a section of lines."""
    shown = table([""], ["ends at", "times", "exposed\nstall"], [["array 1", 1_600, 3, None]])
    timed = with_times(Section("Time", table=shown), 16.0).table
    assert timed.rows == [["array 1", "1,600 (100.0 µs)", 3, None]]
    assert with_times(Section("Time", (("a", "1"),)), 16.0) == Section("Time", (("a", "1"),))


def test_each_run_has_its_listing(shown):
    """A line leads to its instruction, in its own run."""
    assert [shown.tab.locator(name).count() for name in ("#listing", "#listing-b")] == [1, 1]
    shown.tab.locator("#listing-b [role=option]").first.click()
    assert shown.of("Senn.pages.map(({ view }) => view.state.chosen?.kind)") == [None, "instruction"]


def test_a_step_is_looked_for_in_both(shown):
    """And each run says by itself what is chosen in it."""
    shown.tab.fill("#search", "I.b")
    shown.tab.keyboard.press("Enter")
    assert shown.of("Senn.pages.map(({ view }) => view.state.step)") == ["I.b", "I.b"]
    shown.drawn("Senn.pages[1].pick.choose({ kind: 'message', row: 2 })")
    assert shown.tab.locator("#detail-b h3").first.inner_text().startswith("message 2:")
    assert "Click a bar" in shown.tab.locator("#detail").inner_text()


def test_the_longer_run_fits(shown, runs):
    """The whole is that of mark3, which takes longer."""
    (a, b), (c, d) = _windows(shown)
    assert (a, c) == (0, 0)
    assert b == shown.of("page.facts.last") == runs[0].summary["makespan"]
    assert d == b * 3000 / 16 > shown.of("Senn.pages[1].facts.last")


def test_equal_clocks_are_compared_in_cycles(opened, runs):
    """Both axes show cycles; a page of one run does, too."""
    page = opened(report.page(runs[0], beside=(runs[0].at_detail("instructions"), None)))
    assert page.of("Senn.axis.label(page.facts, 16000)") == "16,000"
    page.drawn("page.view.cycles(100, 300)")
    assert _windows(page) == [[100, 300], [100, 300]]
    page.tab.wait_for_function(
        "() => location.hash.includes('from=100') && location.hash.includes('from-b=100')"
    )
    assert (page.said, page.asked) == ([], [])
