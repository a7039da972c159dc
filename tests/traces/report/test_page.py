"""The page of a run in a real browser: what it shows is what the trace says."""

import json
import re

import polars as pl
import pytest

import senn
from senn.algorithms import catalogue
from senn.traces import analysis, report
from tests.traces.exports.runs import stages


@pytest.fixture(scope="module")
def folded(opened):
    """Arrays of more nodes than have rows of their own."""
    run = senn.timed(catalogue.algorithm("closed-chain").program(40), "mark3", detail="full")
    return run, opened(report.page(run))


def test_the_page_is_quiet_and_alone(shown):
    """No console message, no request, one global, and a title that is a text."""
    assert (shown.said, shown.asked) == ([], [])
    assert shown.tab.locator("h1").inner_text().startswith("</script>")
    assert shown.tab.locator("img").count() == 0
    own = shown.tab.evaluate("Object.keys(window).filter((name) => /senn|facts|record/i.test(name))")
    assert own == []


def test_figures_on_the_page_are_those_of_the_trace(shown, by_hand):
    """The tiles, and every column of every table that the page has."""
    tiles = shown.tab.locator(".tiles b").all_inner_texts()
    arrays = by_hand.summary["arrays"].values()
    stalled = [f"{100 * row['stall'] / row['end']:.0f} %" for row in arrays]
    assert tiles == [f"{by_hand.summary['makespan']} cycles", *stalled, "6 messages"]
    columns = {"instructions": "issue", "activities": "end", "messages": "arrived", "hops": "start"}
    for table, name in columns.items():
        column = shown.of(f"Array.from(page.record.column('{table}.{name}'))")
        assert column == by_hand.trace.table(table)[name].to_list()


def test_picking_by_mouse(shown):
    """The bar of F's first hop; the instruction that waited for it; an engine at work."""
    canvas = shown.tab.locator("#timeline")

    def click(array, node, cycle, lane):
        place = shown.of(
            f"(() => {{ const rows = page.timeline.layout(); const band = rows.bands[{array - 1}];"
            f"const y = {node} < 0 ? [-18, -6] : rows.edges({lane}, {node}, {node});"
            f"return {{ x: rows.x({cycle}), y: band.nodes + (y[0] + y[1]) / 2 }}; }})()"
        )
        canvas.click(position=place)
        return shown.tab.locator("#detail").inner_text()

    text = click(1, 0, 16, "true")
    assert "message 1: F_1^0" in text
    assert re.search(r"exchange\s+1:0\s+1:1\s+6\s+14\s+19", text)  # queued for six cycles
    assert "II.c.3.i level 1" in text  # which read it
    text = click(2, -1, 24.5, "false")
    assert "18 cycles: dependency wait 2, exposed stall 16, until message 1 F_1^0 arrived" in text
    text = click(1, 1, 16, "false")
    assert "compute of I.b.12 level 1" in text
    assert "process 2" in text


def test_keyboard_alone(shown):
    """From the tab key on: zoom, move, walk along instructions to a message and back to nothing."""
    tab = shown.tab
    tab.locator("#timeline").focus()
    tab.keyboard.press("+")
    window = shown.of("[page.view.state.from, page.view.state.to]")
    assert window[1] - window[0] == pytest.approx(39 / 1.5)
    tab.keyboard.press("ArrowRight")
    assert shown.of("page.view.state.from") == pytest.approx(window[0] + 0.15 * 26)
    tab.keyboard.press("0")
    assert shown.of("[page.view.state.from, page.view.state.to]") == [0, 39]
    for _ in range(2):
        tab.keyboard.press(".")
    assert tab.locator("#detail h3").inner_text() == "I.b.5 level 1"
    tab.keyboard.press("m")
    assert tab.locator("#detail h3").inner_text() == "message 0: D_1^0"
    tab.keyboard.press("Escape")
    assert "Click a bar" in tab.locator("#detail").inner_text()


def test_searching(shown):
    """A step has its instructions and cycles; enter goes to them; a message, and what is not there."""
    tab = shown.tab
    tab.fill("#search", "I.b")
    tab.keyboard.press("Enter")
    assert tab.locator("#found").inner_text() == "6 instructions, 18 cycles"
    tab.keyboard.press("Enter")
    assert tab.locator("#detail h3").inner_text() == "I.b.1 level 1"
    tab.fill("#search", "message 4")
    tab.keyboard.press("Enter")
    assert tab.locator("#detail h3").inner_text() == "message 4: Lambda_2"
    tab.fill("#search", "V.a")
    tab.keyboard.press("Enter")
    assert tab.locator("#found").inner_text() == "nothing here is called V.a"
    tab.fill("#search", "I.b.13")
    tab.keyboard.press("Enter")
    shown.drawn()
    assert tab.locator("#drawn").inner_text() == "2 messages drawn"


def test_a_second_search_begins_anew(shown):
    """Typing replaces the first search; its steps are no longer lit up, and its instructions not next."""
    tab, found = shown.tab, shown.tab.locator("#found")

    def search(text):
        tab.keyboard.type(text)
        tab.keyboard.press("Enter")

    tab.focus("#search")
    search("I.b.1")
    search("")  # to its first instruction
    assert found.inner_text() == "1 of 1"
    shown.of("page.view.cycles(0, 10)")
    search("III")
    assert tab.locator("#search").input_value() == "III"
    assert found.inner_text() == "2 instructions, 4 cycles"
    assert shown.of("page.view.state.to") == 39  # where Step III is
    search("message 0")
    assert shown.of("page.view.state.step") is None
    tab.click("#next")
    assert tab.locator("#detail h3").inner_text() == "message 0: D_1^0"
    tab.focus("#search")
    search("I.b")
    search("V.a")
    assert (found.inner_text(), shown.of("page.view.state.step")) == ("nothing here is called V.a", None)


def _expected(run, page, array):
    """Pixels of control unit, waits, and all work: the accounts of the nodes, times the room of each."""
    scale, engine, *rooms = page.of(
        "(() => { const rows = page.timeline.layout(); const room = (lane) => { const [a, b] ="
        "rows.edges(lane, 3, 3); return b - a; };"
        "return [rows.scale, room(false), ...Senn.bands.DMA.map(room)]; })()"
    )
    of = pl.col("array") == array
    account = analysis.node_accounts(run.trace, page.of("page.facts.nodes")).filter(of)
    work = account.select(pl.sum_horizontal("compute", "post", "receive").sum()).item()
    sent = sum(cycles * room for cycles, room in zip(_in_flight(run, array), rooms, strict=True))
    unit = run.trace.instructions.filter(of)
    late, exposed = unit["dependency_wait"].sum(), unit["exposed"].sum()
    control = 18 * ((unit["end"] - unit["issue"]).sum() + 0.3 * (late + 0.8 * exposed))
    waits = 0.35 * account.height * (late + exposed) * engine
    return scale * control, scale * waits, scale * (work * engine + sent)


def _in_flight(run, array):
    """Node cycles with a message that sends, starts up, is in a queue: each cycle of a node once."""
    hops = {(hop["message"], hop["hop"]): hop for hop in run.trace.hops.iter_rows(named=True)}
    kinds = {"words": 0, "header": 0, "start-up": 1, "queue": 2}
    cycles, until = [0, 0, 0], {}
    each = [
        (start, end, kinds[name], place) for place, every in stages(run).items() for name, start, end in every
    ]
    for start, end, kind, place in sorted(each):
        if hops[place]["source_array"] == array:
            owner = kind, hops[place]["source_node"]
            cycles[kind] += max(0, end - max(start, until.get(owner, 0)))
            until[owner] = max(end, until.get(owner, 0))
    return cycles


@pytest.mark.parametrize("array", [1, 2])
def test_ink_is_time(folded, array):
    """The whole run at more nodes than pixels have rows: covered is what the accounts of all nodes sum to."""
    run, page = folded
    page.drawn("(page.view.fit(), page.timeline.draw())")
    covered = page.of("page.timeline.covered()")[array - 1]
    assert covered == pytest.approx(sum(_expected(run, page, array)), rel=1e-6)


def test_ink_of_a_rectangle_is_its_area(shown):
    """Pixel by pixel: of many rectangles, also several within one pixel, each covers its share of it."""
    boxes = [(0.25, 3.5, 0.0, 1.0), (2.5, 2.75, 1.25, 1.5), (2.8, 2.9, 1.25, 1.75), (-3, 9, 2.2, 2.3)]
    found = shown.of(
        f"(() => {{ const sheet = Senn.ink.sheet(5, 4); for (const box of {json.dumps(boxes)})"
        "sheet.add(...box, [1, 0.5, 0]); const { image, covered } = sheet.picture();"
        "return { pixels: Array.from(image.data), covered }; })()"
    )

    def share(low, high, pixel):
        return max(0.0, min(high, pixel + 1) - max(low, pixel))

    for row in range(4):
        for column in range(5):
            wanted = sum(share(a, b, column) * share(c, d, row) for a, b, c, d in boxes)
            red, green, _, cover = found["pixels"][4 * (5 * row + column) :][:4]
            assert cover == pytest.approx(255 * wanted, abs=0.51)
            if cover:
                assert (red, green) == (255, pytest.approx(127.5, abs=1))
    assert found["covered"] == pytest.approx(3.25 + 0.0625 + 0.05 + 0.5)


def test_dark_and_light(shown):
    """As the system says, until the reader says otherwise."""
    tab = shown.tab
    paper = "getComputedStyle(document.body).backgroundColor"
    assert tab.evaluate(paper) == "rgb(255, 255, 255)"
    tab.emulate_media(color_scheme="dark")
    assert tab.evaluate(paper) == "rgb(21, 24, 27)"
    tab.click("#theme")
    assert (tab.locator("#theme").inner_text(), tab.evaluate(paper)) == ("theme: light", "rgb(255, 255, 255)")
    tab.click("#theme")
    tab.emulate_media(color_scheme="light")
    assert (tab.locator("#theme").inner_text(), tab.evaluate(paper)) == ("theme: dark", "rgb(21, 24, 27)")
    tab.click("#theme")


@pytest.mark.parametrize("detail", ["instructions", "summary"])
def test_a_run_with_less_says_what_is_missing(opened, by_hand, detail):
    page = opened(report.page(by_hand.at_detail(detail)))
    text = page.tab.locator("body").inner_text()
    assert "Run again with --detail full" in text
    assert "Run again with --numbers" in text
    assert page.tab.locator("#timeline").count() == (1 if detail == "instructions" else 0)
    for way in page.tab.locator("nav a").all():
        assert page.tab.locator(way.get_attribute("href")).count() == 1
    assert (page.said, page.asked) == ([], [])


def test_in_the_output_of_a_notebook(opened, by_hand):
    """The timeline alone, in a frame of another page."""
    html = report.page(by_hand, parts=("timeline",))
    page = opened(f"<!doctype html><title>x</title><body>{report.frame(html)}", "iframe")
    inner = page.tab.frame_locator("iframe")
    inner.locator("html[data-ready]").wait_for(state="attached")
    assert inner.locator("#timeline").count() == 1
    assert inner.locator(".tiles").count() == 0
    assert (page.said, page.asked) == ([], [])


def test_the_replay_alone(opened, by_hand):
    """A page of one part has what that part needs."""
    page = opened(report.page(by_hand, parts=("replay",)))
    page.tab.locator("#cycle").focus()
    page.tab.keyboard.press("End")
    page.drawn()
    assert page.tab.locator("#cycle-now").inner_text() == "39 of 39"
    assert page.tab.locator("#timeline").count() == 0
    assert (page.said, page.asked) == ([], [])


def test_unknown_part(by_hand):
    with pytest.raises(
        senn.InputError, match=r"report: there is no part 'film'; choose of summary, timeline"
    ):
        report.page(by_hand, parts=("film",))


@pytest.mark.exhaustive
def test_a_thousand_nodes_are_a_small_page():
    """A million bars, 345,093 messages: less than 0.3 MB."""
    run = senn.timed(catalogue.algorithm("closed-chain").program(1024), detail="full")
    assert len(report.page(run).encode()) < 300_000


def test_a_program_that_cannot_be_made_again_is_said(by_hand):
    """Who knows the run, and has no listing of it, says why there is none; a bare trace never has one."""
    said = "There is no listing"
    assert said in report.page(by_hand, report.ReportContent())
    assert said not in report.page(by_hand, report.ReportContent(listing=[("a line", None)]))
    assert said not in report.page(by_hand)
