"""What stands below the timeline: listing, replay, critical path, accounts and traffic."""

from collections import Counter

import pytest


def _lines(shown, which):
    return shown.tab.locator(f"#listing {which}").all_inner_texts()


def test_a_line_leads_to_its_messages(shown):
    """Click I.b.5: its instruction is told, and its one message drawn."""
    shown.tab.get_by_text("send D").click()
    shown.drawn()
    assert shown.tab.locator("#detail h3").inner_text() == "I.b.5 level 1"
    assert shown.tab.locator("#drawn").inner_text() == "1 message drawn"


def test_a_message_leads_to_its_lines(shown):
    """The line that sends it is chosen, the line that reads it is framed."""
    shown.drawn("page.pick.choose({ kind: 'message', row: 0 })")
    assert _lines(shown, "[aria-selected=true]") == ["  I.b.5   send D"]
    assert _lines(shown, ".reads") == ["  I.b.12  A"]
    shown.drawn("page.pick.choose({ kind: 'message', row: 5 })")  # x, which no line of this listing sends
    assert _lines(shown, "[aria-selected=true]") == []


def test_the_listing_by_keyboard(shown):
    """Down goes to the first instruction, past the heading, and on; a level that is none is found too."""
    shown.tab.locator("#listing").focus()
    for line in ("I.b.5 level 1", "I.b.12 level 1", "III.2"):
        shown.tab.keyboard.press("ArrowDown")
        assert shown.tab.locator("#detail h3").inner_text() == line


@pytest.mark.parametrize("cycle", [0, 5, 7, 8, 14, 16, 22, 24, 33, 38])
def test_the_replay_is_that_of_the_record(shown, by_hand, cycle):
    """At every cycle the messages in flight are those of `run.at`, by name, and the arrays do the same."""
    shown.drawn(f"page.view.set({{ cycle: {cycle} }})")
    state = by_hand.at(cycle)
    where = sorted(Counter(state.messages["where"]).items())
    named = ", ".join(f"{count} {name}" for name, count in where)
    many = len(state.messages)
    said = shown.tab.locator("#now").inner_text()
    flights = f"{many} message{'' if many == 1 else 's'} in flight" + (f": {named}" if named else "")
    assert said.endswith(flights)
    verbs = {"computes": "computes", "posts": "posts", "stalls": "is stalled before"}
    for array, doing, step in state.arrays.select("array", "doing", "step").iter_rows():
        assert f"array {array} {verbs.get(doing, doing)}{f' {step}' if step else ''}" in said


def test_where_a_message_is(shown):
    """F crosses its first channel in [14, 19): at cycle 16 it has two fifths behind it."""
    shown.drawn("page.view.set({ cycle: 16 })")
    found = shown.of("page.replay.machine.hops(16).map(({ hop, share }) => [hop, share])")
    assert found == [[1, 0.4]]
    shown.drawn("page.view.set({ cycle: 22 })")
    waiting = shown.of("page.replay.machine.hops(22).filter(({ share }) => share < 0).map(({ hop }) => hop)")
    assert waiting == [4]  # A_2, which waits for F


def test_sliders(shown):
    """By keyboard: the next cycle; the next part, which begins where its array came to it."""
    tab = shown.tab
    tab.locator("#cycle").focus()
    tab.keyboard.press("ArrowRight")
    shown.drawn()
    assert shown.of("page.view.state.cycle") == 1
    assert tab.locator("#cycle-now").inner_text() == "1 of 39"
    tab.locator("#level").focus()
    tab.keyboard.press("End")
    shown.drawn()
    assert tab.locator("#level-now").inner_text() == "array 2: III"
    assert shown.of("page.view.state.cycle") == 33  # where it began to wait for Lambda
    assert tab.locator("#level").get_attribute("aria-valuetext") == "array 2: III"


def test_playing(shown):
    """It goes on until it is stopped."""
    tab = shown.tab
    tab.click("#play")
    tab.wait_for_function("() => Senn.page.view.state.cycle > 0.05")
    assert tab.locator("#play").get_attribute("aria-pressed") == "true"
    tab.click("#play")
    stopped = shown.drawn("page.view.state.cycle")
    assert shown.drawn("page.view.state.cycle") == stopped
    assert tab.locator("#play").inner_text() == "play"


def test_the_matrix_empties(shown):
    """One block above the diagonal and one below, from the end of I.b.1 until I.b.12 has ended."""
    said = []
    for cycle in (5, 6, 18, 19):
        shown.drawn(f"page.view.set({{ cycle: {cycle} }})")
        said.append(shown.tab.locator("#matrix-now").inner_text())
    assert said == [
        "not yet made: it is there from cycle 6 on",
        "as it was made: 2 blocks beside the diagonal",
        "as it was made: 2 blocks beside the diagonal",
        "after level 1, from cycle 19 on: nothing beside the diagonal",
    ]


def test_the_critical_path_has_every_cycle(shown):
    """Its strip is full, and what it was spent on sums to the makespan."""
    assert shown.of("page.strip.draw()") == pytest.approx(1.0)
    rows = shown.tab.locator("section[aria-labelledby=causes-title] table").first.locator("tbody tr")
    cells = [row.split("\t") for row in rows.all_inner_texts()]
    spent = {name: int(cycles) for name, cycles, _ in cells}
    assert spent.pop("together") == sum(spent.values()) == 39


def test_a_click_on_the_critical_path_says_what_it_was(shown):
    """At cycle 37 III.2 computes; at cycle 33 Lambda was on its way."""
    canvas = shown.tab.locator("#strip")
    width = canvas.bounding_box()["width"]
    canvas.click(position={"x": 37.5 / 39 * width, "y": 9})
    assert shown.tab.locator("#detail h3").inner_text() == "III.2"
    canvas.click(position={"x": 33.5 / 39 * width, "y": 9})
    assert shown.tab.locator("#detail h3").inner_text() == "message 4: Lambda_2"


def test_traffic_is_that_of_the_messages(shown):
    """Words from node to node, and the channel that was occupied longest: the vertical one at node 1."""
    pairs = shown.of(
        "Array.from(page.record.column('pairs.words'), (words, k) => ['source_array', 'source_node',"
        "'target_array', 'target_node'].map((name) => page.record.column(`pairs.${name}`)[k]).concat(words))"
    )
    assert pairs == [[1, 0, 1, 1, 3], [1, 0, 2, 0, 2], [1, 0, 2, 1, 1], [1, 1, 2, 1, 3], [2, 1, 2, 0, 1]]
    table = shown.tab.locator("section[aria-labelledby=traffic-title] table").nth(1)
    assert table.locator("tbody tr").first.inner_text().split("\t") == [
        *("vertical 1:1 to 2:1", "3", "4", "16", "41 %", "10")
    ]


def test_every_picture_is_drawn(shown):
    """Each canvas has ink, by day and by night, and the page has said and asked nothing."""
    blank = (
        "Array.from(document.querySelectorAll('canvas')).filter((one) => { const copy ="
        "new OffscreenCanvas(one.width, one.height).getContext('2d', { willReadFrequently: true });"
        "copy.drawImage(one, 0, 0); return !copy.getImageData(0, 0, one.width, one.height).data"
        ".some((x) => x); }).map((one) => one.id)"
    )
    for scheme in ("dark", "light"):
        shown.tab.emulate_media(color_scheme=scheme)
        shown.drawn()
        assert shown.of(blank) == []
    assert shown.of("document.querySelectorAll('canvas').length") == 5
    assert (shown.said, shown.asked) == ([], [])


def test_everything_has_a_name(shown):
    """Buttons, fields and pictures say to a screen reader what they are."""
    unnamed = shown.of(
        "Array.from(document.querySelectorAll('button, input, canvas, [role]')).filter((one) =>"
        "!(one.textContent.trim() || one.getAttribute('aria-label') || one.getAttribute('aria-labelledby')"
        "|| one.labels?.length || one.getAttribute('role') === 'status')).map((one) => one.outerHTML)"
    )
    assert unnamed == []


def test_on_paper(shown):
    """Printed it is light, without buttons, and nothing is wider than the sheet."""
    shown.tab.emulate_media(media="print")
    assert not shown.tab.locator("#play").is_visible()
    assert shown.of("document.documentElement.scrollWidth <= window.innerWidth")
    shown.tab.emulate_media(media="screen")


def test_printed_legends_keep_their_colours(shown):
    """Also where a browser prints no backgrounds."""
    kept = (
        "Array.from(document.querySelectorAll('.legend i'), (one) => getComputedStyle(one).printColorAdjust)"
    )
    assert {*shown.of(kept)} == {"exact"}


def test_on_a_telephone(shown):
    """Nothing is cut at the side."""
    size = shown.tab.viewport_size
    shown.tab.set_viewport_size({"width": 390, "height": 844})
    shown.drawn()
    assert shown.of("document.documentElement.scrollWidth") == 390
    shown.tab.set_viewport_size(size)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out(shown, scheme):
    """Of 4.5 to 1 at least, as the guidelines for the web ask, on paper and on cards."""

    def light(name):
        text = shown.of(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()")
        parts = [int(text[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    shown.tab.emulate_media(color_scheme=scheme)
    for ground in ("paper", "card"):
        for text in ("ink", "quiet", "focus"):
            low, high = sorted([light(ground), light(text)])
            assert (high + 0.05) / (low + 0.05) >= 4.5, (text, ground)
    shown.tab.emulate_media(color_scheme="light")
