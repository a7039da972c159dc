"""Looking into a run: details beside the picture, values under the pointer, zoom to the selection."""

import pytest

import senn
from senn.traces import report
from senn.traces.naming import value_text
from tests.traces.exports.runs import stages


def _place(shown, array, cycle, node=None, dma=False):
    """Where a cycle of a control unit, engine or DMA stands in the picture."""
    y = "-15" if node is None else f"layout.edges({str(dma).lower()}, {node}, {node})[0] + 2"
    return shown.of(
        f"(() => {{ const layout = page.timeline.layout(); return {{ x: layout.x({cycle}),"
        f"y: layout.bands[{array - 1}].nodes + {y} }}; }})()"
    )


@pytest.mark.parametrize("width", [1280, 1800])
def test_details_and_listing_stand_beside_the_timeline(shown, width):
    """Right of it, within the window, however much there is to say."""
    shown.tab.set_viewport_size({"width": width, "height": 800})
    shown.drawn("page.pick.choose({ kind: 'message', row: 1 })")
    picture, detail, listing = (
        shown.tab.locator(name).bounding_box() for name in ("#timeline", "#detail", "#listing")
    )
    for box in (detail, listing):
        assert box["x"] >= picture["x"] + picture["width"]
        assert box["height"] > 100
        assert picture["y"] - 1 <= box["y"] < box["y"] + box["height"] <= 800
    shown.tab.set_viewport_size({"width": 1280, "height": 800})


def test_details_stay_in_sight_in_a_narrow_window(shown):
    """Below the picture there, and at the bottom of the window as long as the picture is longer."""
    shown.tab.set_viewport_size({"width": 390, "height": 220})
    shown.drawn("page.pick.choose({ kind: 'message', row: 1 })")
    shown.tab.evaluate("document.getElementById('timeline').scrollIntoView({ block: 'start' })")
    detail = shown.tab.locator("#detail").bounding_box()
    assert detail["y"] + detail["height"] == pytest.approx(220)
    assert detail["height"] > 60
    shown.tab.set_viewport_size({"width": 1280, "height": 800})


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ((1, 16, 1), "cycle 16, array 1, node 1, engine\ncompute of I.b.12 level 1\n14 to 19: 5 cycles"),
        ((1, 16, 0, True), "cycle 16, array 1, node 0, DMA\nmessage 1: F_1^0 to 2:1\n8 to 24: 16 cycles"),
        ((1, 9), "cycle 9, array 1, control unit\nI.b.8 level 1\n8 to 12: 4 cycles"),
        ((2, 10), "cycle 10, array 2, control unit\nstalled before II.c.3.i level 1\n6 to 24: 18 cycles"),
        (
            (2, 10, 1),
            "cycle 10, array 2, node 1, engine\nstalled before II.c.3.i level 1\n6 to 24: 18 cycles",
        ),
        ((2, 38, 0), "cycle 38, array 2, node 0, engine"),
    ],
)
def test_values_under_the_pointer(shown, place, said):
    """What is worked out by hand, wherever the pointer stands; nothing once it has left."""
    canvas = shown.tab.locator("#timeline")
    canvas.hover(position=_place(shown, *(place[0], place[1] + 0.5, *place[2:])))
    tip = shown.tab.locator(".tip:visible")
    assert tip.inner_text() == said
    shown.tab.mouse.move(5, 5)
    assert tip.count() == 0


def test_values_of_the_other_pictures(shown):
    """The critical path at cycle 37, and the three words from node 0 to node 1 of array 1."""
    strip, pairs = shown.tab.locator("#strip"), shown.tab.locator("#pairs")
    strip.hover(position={"x": 37.5 / 39 * strip.bounding_box()["width"], "y": 9})
    assert shown.tab.locator(".tip:visible").inner_text() == "compute of III.2\n35 to 39: 4 cycles"
    pairs.hover(position={"x": pairs.bounding_box()["width"] * 0.375, "y": 40})
    assert shown.tab.locator(".tip:visible").inner_text() == "1:0 to 1:1: 3 words"


def test_zoom_to_the_selection(shown):
    """By button and by key: F is in flight from 8 to 24, I.b.12 is executed from 14 to 19."""
    shown.drawn("page.pick.choose({ kind: 'message', row: 1 })")
    shown.tab.click("#selection")
    assert shown.of("[page.view.state.from, page.view.state.to]") == [pytest.approx(7.2), pytest.approx(24.8)]
    shown.drawn("page.pick.choose({ kind: 'instruction', row: 4 })")
    shown.tab.focus("#timeline")
    shown.tab.keyboard.press("z")
    low, high = shown.of("[page.view.state.from, page.view.state.to]")
    assert 12 < low <= 14 < 19 <= high < 23  # at least eight cycles


def _sums(run, low, high, key):
    """Busy and stalled cycles in [low, high) by step or node, cycle by cycle from the tables."""
    trace = run.trace
    steps = {(a, s): step for a, s, step in trace.instructions.select("array", "serial", "step").iter_rows()}
    sums = {}

    def add(array, serial, node, what, cycles):
        name = steps[array, serial] if key == "step" else f"{array}:{node}"
        sums.setdefault(name, dict.fromkeys(COLUMNS, 0))[what] += len(cycles & set(range(low, high)))

    for row in trace.activities.iter_rows(named=True):
        cycles = set(range(row["start"], row["end"]))
        add(row["array"], row["instruction"], row["node"], row["class"], cycles)
    senders = {m["id"]: m for m in trace.messages.iter_rows(named=True)}
    seen = {}
    hops = {(hop["message"], hop["hop"]): hop for hop in trace.hops.iter_rows(named=True)}
    each = [(*span, what, place) for place, every in stages(run).items() for what, *span in every]
    for start, end, name, place in sorted(each):
        hop, by = hops[place], senders[place[0]]
        what = name if name in COLUMNS else "sending"
        lane = hop["source_array"], hop["source_node"]
        cycles = set(range(start, end)) - seen.setdefault((*lane, what), set())
        seen[*lane, what] |= cycles
        if key == "step":
            add(by["source_array"], by["instruction"], None, what, cycles)
        else:
            sums.setdefault("{}:{}".format(*lane), dict.fromkeys(COLUMNS, 0))[what] += len(
                cycles & set(range(low, high))
            )
    for row in trace.instructions.iter_rows(named=True):
        for node in range(2):
            cycles = set(range(row["issue"] - row["stall"], row["issue"]))
            add(row["array"], row["serial"], node, "stalled", cycles)
    return {name: [f"{row[c]:,}" for c in COLUMNS] for name, row in sums.items() if any(row.values())}


COLUMNS = ("compute", "post", "receive", "sending", "start-up", "queue", "stalled")


@pytest.mark.parametrize("end", [(5, 27), (0, 39), (15, 16)])
def test_sums_of_a_range(shown, by_hand, end):
    """Drag along the cycles, in either direction: busy and stalled cycles of each step and node."""
    low, high = end
    canvas = shown.tab.locator("#timeline").bounding_box()
    x = [canvas["x"] + shown.of(f"page.timeline.layout().x({cycle})") for cycle in (high, low)]
    shown.tab.mouse.move(x[0] + 1, canvas["y"] + 8)
    shown.tab.mouse.down()
    shown.tab.mouse.move(x[1] + 1, canvas["y"] + 8, steps=3)
    shown.tab.mouse.up()
    cycles = high - low
    said = shown.tab.locator("#detail h3").first.inner_text()
    assert said == f"cycles {low} to {high}: {cycles} cycle{'' if cycles == 1 else 's'}"
    for table, key in zip(shown.tab.locator("#detail table").all(), ("step", "node"), strict=True):
        head, together, *rows = (row.split("\t") for row in table.locator("tr").all_inner_texts())
        assert tuple(head) == (key, *COLUMNS)
        assert {name: numbers for name, *numbers in rows} == _sums(by_hand, low, high, key)
        assert together == ["together", *_together(rows)]
    assert shown.of("[page.view.state.from, page.view.state.to]") == [0, 39]


def _together(rows):
    return [f"{sum(int(row[k]) for row in rows):,}" for k in range(1, 1 + len(COLUMNS))]


def test_a_range_by_name_and_by_shift(shown):
    """Found as it is called; Shift marks one anywhere in the picture; Escape chooses nothing again."""
    tab = shown.tab
    tab.fill("#search", "cycles 10 to 20")
    tab.keyboard.press("Enter")
    assert tab.locator("#detail h3").first.inner_text() == "cycles 10 to 20: 10 cycles"
    shown.drawn("page.view.fit()")
    canvas = tab.locator("#timeline")
    box, (x, y) = canvas.bounding_box(), _place(shown, 1, 16, 0).values()
    tab.keyboard.down("Shift")
    tab.mouse.move(box["x"] + x, box["y"] + y)
    tab.mouse.down()
    tab.mouse.move(box["x"] + shown.of("page.timeline.layout().x(30)"), box["y"] + y)
    tab.mouse.up()
    tab.keyboard.up("Shift")
    assert tab.locator("#detail h3").first.inner_text() == "cycles 16 to 30: 14 cycles"
    canvas.focus()
    tab.keyboard.press("Escape")
    assert "Click a bar" in tab.locator("#detail").inner_text()


def test_the_critical_path_is_followed_piece_by_piece(shown, by_hand):
    """Over the timeline, from the first cycle to the last and back, each piece chosen and said."""
    tab = shown.tab
    assert tab.locator("#path").get_attribute("aria-pressed") == "false"
    tab.click("#path")
    assert tab.locator("#path").get_attribute("aria-pressed") == "true"
    pieces = by_hand.path
    for k, piece in enumerate(pieces):
        if k:
            tab.click("#path-next")
        cycles = f"{piece.start} to {piece.end}: {piece.end - piece.start} cycle"
        assert tab.locator("#piece").inner_text().startswith(f"{k + 1} of {len(pieces)}: ")
        assert cycles in tab.locator("#piece").inner_text()
        heading = tab.locator("#detail h3").first.inner_text()
        assert heading.startswith(piece.step if piece.message is None else f"message {piece.message}:")
        assert shown.of("page.view.state.cycle") == piece.start
    tab.click("#path-next")  # there is none
    tab.click("#path-previous")
    assert tab.locator("#piece").inner_text().startswith(f"{len(pieces) - 1} of {len(pieces)}: ")
    tab.focus("#timeline")
    tab.keyboard.press("[")
    assert tab.locator("#piece").inner_text().startswith(f"{len(pieces) - 2} of {len(pieces)}: ")
    tab.keyboard.press("]")
    tab.keyboard.press("c")
    assert tab.locator("#path").get_attribute("aria-pressed") == "false"
    assert tab.locator("#piece").inner_text() == ""


def test_the_overlay_lies_where_the_path_is(shown):
    """At cycle 37 the control unit of array 2 executes III.2; at cycle 9 D is set up at node 0 of array 1."""
    shown.drawn("page.view.set({ path: true })")
    for cycle, (array, node) in {37: (2, None), 9: (1, 0)}.items():
        y = shown.of(f"Senn.path.height(page.record, page.timeline.layout(), page.path.at({cycle}))")
        band = shown.of(f"page.timeline.layout().bands[{array - 1}]")
        if node is None:
            assert band["control"] < y < band["control"] + 18
        else:
            low, high = shown.of(f"page.timeline.layout().edges(true, {node}, {node})")
            assert band["nodes"] + low < y < band["nodes"] + high
    ink = (
        "(() => { const layout = page.timeline.layout(); const canvas = document.getElementById('timeline');"
        "const ratio = canvas.width / layout.width; const y = Senn.path.height(page.record, layout,"
        "page.path.at(37)); const copy = new OffscreenCanvas(canvas.width, canvas.height)"
        ".getContext('2d', { willReadFrequently: true }); copy.drawImage(canvas, 0, 0);"
        "return Array.from(copy.getImageData(layout.x(37.5) * ratio, y * ratio, 1, 1).data); })()"
    )
    lit = shown.of(ink)
    shown.drawn("page.view.set({ path: false })")
    assert shown.of(ink) != lit
    assert lit == [179, 38, 30, 255]


@pytest.mark.parametrize(
    "chosen",
    [
        "{ kind: 'message', row: 3 }",
        "{ kind: 'instruction', row: 12 }",
        "{ kind: 'activity', row: 5 }",
        "{ kind: 'range', from: 4, to: 30 }",
    ],
)
def test_the_address_restores_the_view(shown, chosen):
    """What is looked at, as a link to the same page: window, cycle, step, path, and what is chosen."""
    tab = shown.tab
    tab.wait_for_function("() => !location.hash.includes('from')")
    tab.fill("#search", "I.b")
    tab.keyboard.press("Enter")
    shown.of(f"page.pick.choose({chosen})")
    shown.of("(page.view.cycles(3, 33.5), page.view.set({ cycle: 21, path: true }))")
    seen = shown.of("page.view.state")
    assert shown.of(f"JSON.stringify(page.view.state.chosen) === JSON.stringify({chosen})")
    tab.wait_for_function("() => location.hash.includes('from=3&to=33.5')")
    address = tab.url
    shown.of("(page.view.fit(), page.view.set({ chosen: null, step: null, path: false, cycle: 0 }))")
    tab.wait_for_function("() => !location.hash.includes('from')")
    tab.goto("about:blank")
    tab.goto(address)
    tab.wait_for_selector("html[data-ready]", state="attached")
    assert shown.of("page.view.state") == seen
    assert tab.locator("#search").input_value() == "I.b"
    tab.fill("#search", "")
    tab.keyboard.press("Enter")
    assert shown.said == []


@pytest.mark.parametrize(
    "fragment", ["timeline-title", "from=x&to=-1&cycle=1e999", "chosen=message-99", "chosen=activity-7-7-7"]
)
def test_an_address_that_is_none_is_the_whole_run(shown, fragment):
    """A part of the page, or what somebody typed: nothing is chosen, and nothing is said."""
    shown.tab.evaluate(f"location.hash = '{fragment}'")
    shown.drawn()
    state = shown.of("page.view.state")
    assert [state[name] for name in ("from", "to", "cycle", "chosen")] == [0, 39, 0, None]
    assert shown.said == []


def test_messages_are_called_as_everywhere(opened):
    """Also values whose letter names the process itself, and several values in one message."""
    run = senn.run("random:3", numbers=False, combine=True, form="short")
    assert {"C + F", "C(1,i+1)"} <= {*run.trace.messages["value"]}
    page = opened(report.page(run, parts=("timeline",)))
    called = page.of(
        "Array.from(page.record.column('messages.words'), (_, k) => Senn.record.valueText(page.record, k))"
    )
    columns = run.trace.messages.select("value", "level", "process")
    assert called == [value_text(*row) for row in columns.iter_rows()]
