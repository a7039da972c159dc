"""The widget of a notebook in a real browser; its model keeps what the page says, as Jupyter's would."""

import json
import sys
from base64 import b64encode
from importlib.resources import files

import pytest

import senn
from senn.base.errors import InputError
from tests.traces.hand_trace import hand_run

# What Jupyter's model does: get, set, tell of changes, and send them to Python on `save_changes`.
MODEL = """
const model = { state: JSON.parse(document.getElementById('state').textContent), heard: {}, sent: [] };
model.get = (name) => model.state[name];
model.set = (name, value) => {
  model.state[name] = value;
  (model.heard[`change:${name}`] ?? []).forEach((tell) => tell());
};
model.on = (name, tell) => (model.heard[name] ??= []).push(tell);
model.off = (name, tell) => { model.heard[name] = model.heard[name].filter((other) => other !== tell); };
model.save_changes = () => model.sent.push(structuredClone(model.state.chosen));
window.model = model;
const { default: widget } = await import(document.getElementById('program').textContent);
window.close_it = widget.render({ model, el: document.body });
"""


@pytest.fixture(scope="module")
def widget():
    pytest.importorskip("anywidget")
    return hand_run().widget(find="I.b.5", height=500)


@pytest.fixture(scope="module")
def shown(opened, widget):
    """The widget as it is rendered, and the page in its frame."""
    names = ("_page", "find", "height", "chosen", "cycle")
    state = json.dumps({name: getattr(widget, name) for name in names}).replace("<", "\\u003c")
    program = b64encode(files("senn.traces.report").joinpath("page/widget.js").read_bytes()).decode()
    outer = opened(
        f'<script type="application/json" id="state">{state}</script>'
        f'<script type="text/plain" id="program">data:text/javascript;base64,{program}</script>'
        f'<body><script type="module">{MODEL}</script>',
        ready="iframe",
    )
    (frame,) = outer.tab.main_frame.child_frames
    frame.wait_for_selector("html[data-ready]", state="attached")
    return outer, frame


def test_it_opens_with_what_is_looked_for_and_finds_more(shown):
    """Message 3 of the hand-made run is posted in cycle 20; Python hears what is chosen."""
    outer, frame = shown
    frame.wait_for_function("Senn.page.view.state.step === 'I.b.5'")
    assert outer.tab.locator("iframe").get_attribute("height") == "500"
    before = outer.tab.evaluate("model.sent.length")
    outer.tab.evaluate("model.set('find', 'message 3')")
    outer.tab.wait_for_function("(before) => model.sent.length > before", arg=before)
    said = outer.tab.evaluate("({ chosen: model.state.chosen, cycle: model.state.cycle })")
    assert said == {"chosen": {"kind": "message", "id": 3}, "cycle": 20}
    assert (outer.said, outer.asked) == ([], [])


def test_a_click_in_the_page_is_heard_by_the_keys_of_the_tables(shown):
    """The compute engine of node 1 in array 2 works in [35, 39) for its instruction 7; none other does."""
    outer, frame = shown
    frame.evaluate("Senn.page.view.fit()")
    place = frame.evaluate(
        """() => {
          const rows = Senn.page.timeline.layout();
          const [low, high] = rows.edges(false, 1, 1);
          return { x: rows.x(37.5), y: rows.bands[1].nodes + (low + high) / 2 };
        }"""
    )
    frame.locator("#timeline").click(position=place)
    outer.tab.wait_for_function("model.state.chosen?.kind === 'activity'")
    said = outer.tab.evaluate("({ chosen: model.state.chosen, cycle: model.state.cycle })")
    assert said == {"chosen": {"kind": "activity", "array": 2, "instruction": 7, "node": 1}, "cycle": 37}
    frame.evaluate("Senn.page.pick.choose({ kind: 'instruction', row: 9 })")  # the second of array 2
    outer.tab.wait_for_function("model.state.chosen?.kind === 'instruction'")
    assert outer.tab.evaluate("model.state.chosen") == {"kind": "instruction", "array": 2, "serial": 1}


def test_a_page_of_its_own_tells_nobody(opened, widget):
    alone = opened(widget._page)
    assert alone.tab.evaluate("window.parent === window")
    assert alone.said == []


def test_without_the_package_it_says_how_to_get_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "senn.traces.report.widget", raising=False)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(InputError, match=r"needs anywidget.*pip install 'senn\[notebook\]'"):
        hand_run().widget()


def test_a_summary_has_no_timeline():
    with pytest.raises(InputError, match="run again with detail 'instructions'"):
        senn.run("ssrms", detail="summary").widget()
