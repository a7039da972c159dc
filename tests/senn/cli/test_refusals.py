"""How each refusal reads: status 2, one line, nothing on stdout, nothing computed and nothing written."""

import shlex
import shutil
from pathlib import Path

import pytest

import senn as library
from tests.places import ROOT
from tests.senn.cli.command import refused

SHORT = {"until": 0.01, "judge": 0, "algorithm": "open-chain"}
FILES = {
    "mine.py": "",
    "p.toml": 'robot = "ssrms"\n',
    "s.toml": '[study]\nname = "s"\n[fixed]\nproblem = "random:2"\n',
    "none.npz": "",
    "text.npz": "hello",
    "half.npz": "PK\x03\x04",
    "full/of": "",
    "file": "",
}

ROWS = """
rum => No such command "rum"; did you mean run? senn --help says what there is
optimise --netwrk ring => No such option "--netwrk"; senn optimise --help says
run --machin t800 => No such option "--machin"; did you mean --machine? senn run --help says
run ssrm => ...or a .urdf file with its tip; did you mean ssrms?
run --machine mark4 => ...a file of your own ends in .toml; did you mean mark3?
run --algorithm Divide_and_conqer => ...; did you mean divide-and-conquer?
run --set timing.strtup=3 => ...post, receive, compare, root; did you mean startup?
run --allocation gry => ...FILE.py:FUNCTION; did you mean gray?
plot arm --kind energi -o a.png => ..."animation"; did you mean energy? senn plot --help says
list networks hypercub => ....edges, .edgelist; did you mean hypercube?
list machine => ...networks; did you mean machines? senn list --help says what there is

run a b => Got unexpected extra argument (b); senn run --help says what there is
run --tip => Option "--tip" requires an argument; senn run --help says what there is
run --refine 6 => --refine is 6; write a whole number from 0 to 5
run --residency x => --residency is "x"; write one of migrating, ahead, home
run --seed -1 => --seed is -1; write a whole number from 0 to 9223372036854775807
run --seed 1.5 => --seed is "1.5"; write a whole number from 0
run ur5 --seed 9223372036854775808 => --seed is 9223372036854775808; write a whole number from 0 to
run --set x => Invalid value for "--set": "x": write FIELD=VALUE, such as timing.word=4
run --set a=1 --set a=2 => Invalid value for "--set": "a" is given twice
run --values --detail summary => --values needs --detail full: values go with the messages
run random:5 --no-numbers --values => values are kept of a run with numbers; leave --values out, or --no-
run --plot ssrms => ssrms: a picture ends in .png, .svg, .pdf; choose one of these
run --plot --detail summary => --plot needs --detail full: a timeline is drawn from the messages;
run nosuch => unknown problem "nosuch": give a bundled problem (ssrms, ssrms_payload, station25, ur5,
run arm.urdf => arm.urdf: a URDF needs a tip, the link of the end effector;
run --machine x => machine "x" is not known: the presets are cluster, cmos45, epiphany, epiphany-dma, fijany,
run random:3 --set machine.switching=cut-through => ...hop = 0: with cut-through it must be at least 1
run ur5 --at nope=1 => --at: there is no joint 'nope' in ur5; its joints are shoulder_pan_joint
run ur5 --q 1 => ...write --at JOINT=VALUE, or q in a problem file
run ur5 --tau 1 => ...write tau in a problem file
run ur5 --network torus => ...write --set machine.network=VALUE
run ur5 --startup 3 => ...write --set timing.startup=VALUE
run ur5 --set network=torus => ...write machine.network
run ur5 --set nosuch=1 => ...write machine.FIELD or timing.FIELD
run ssrms --set energy.add=-1 => ...[energy] add = "-1": must not be negative
run ssrms --set energy.add=nan => ...[energy] add = "nan": write an integer or a decimal string such as "0.5"
run ssrms --set energy.wire=1 => ...[energy] wire is not known; the fields are multiply, add
run ssrms --set energy.like=raw => ...energy.like = "raw": no [energy] in the machine file of raw
show => senn show is now senn explain RUN
claims => senn claims is now python -m experiments claims, in a checkout

explain ./nosuch => nosuch is not a run folder: it has no run.json
explain file => file is not a run folder: it has no run.json
explain exposd => "exposd" is explained nowhere; near it: exposed
explain dependency => "dependency" is explained nowhere; near it: dependency wait
explain wavefront => "wavefront" is explained nowhere; near it: at every joint
explain xyzzy => "xyzzy" is explained nowhere; senn explain lists the words
explain kept I.b.99 => this run has no step "I.b.99"; near it: I.b.9
explain kept message 9999 => this run has no message 9,999; they are 0 to
explain kept node 3:0 => this run has no node 3:0; its arrays are 1 to 2, and the nodes of each 0 to 1
explain kept cycle 90 => part "cycle" is gone: the page of senn report replays a run
explain kept message 3 critical => which message? explain a step
explain kept message -1 => No such option "-1"

plot -o a.png => Missing argument "RUN": the run folder to draw
plot nosuch => Missing option "-o" / "--output"; senn plot --help says what there is
plot nosuch -o a.png => nosuch is not a run folder: it has no run.json
plot nosuch -o a.gif => a.gif: a picture ends in .png, .svg, .pdf; choose one of these
plot nosuch --kind x -o a.png => Invalid value for "--kind": "x" is not one of "timeline", "phases"
plot nosuch --kind phases --arrows -o a.png => plot: --arrows belongs to timeline; phases has --from, --to
plot nosuch --kind heat --from 0 -o a.png => plot: --from belongs to timeline, phases, critical; heat has --of
plot nosuch --nodes 3:1 -o a.png => Invalid value for "--nodes": "3:1": the first
plot nosuch --kind spacetime -o a.png => picture "spacetime" is gone: the timeline draws messages
plot nosuch --cycle 5 -o a.png => option "plot --cycle" is gone: it belonged to --kind moment
plot nosuch --kind arm -o a.png => unknown problem "nosuch"
plot x --tip tool0 -o a.png => --tip belongs to --kind arm, which draws a problem; leave it out
plot ur5 --kind arm --from 3 -o a.png => --from belongs to pictures of a run
plot . --kind arm -o arm.png => . is a folder; --kind arm draws a problem: name one, or its file
plot kept bare -o a.png => bare: --kind energy draws several runs, --kind timeline one
plot kept --kind energy -o a.png => ...no [energy] in the machine file of raw
plot kept -o file/a.png => {here}/file is a file, not a folder; choose another place
plot kept -o there.png => there.png is a folder; name a file in it, such as there.png/picture.png
plot . --kind angles -o a.png => . is not the folder of a motion; name one that `senn simulate` wrote
plot moved --kind animation -o a.png => a.png: an animation ends in .gif; name it so
plot moved --kind force -o a.gif => a.gif: a picture ends in .png, .svg, .pdf
plot moved --kind drift -o a.png => this motion has no contact that could drift
plot moved --kind force --from 3 -o a.png => --from belongs to pictures of a run
plot moved -o a.png => moved is a motion: give --kind angles, force, energy, drift, poses, animation
plot moved --kind arm -o a.png => moved is a folder; --kind arm draws a problem: name

export nosuch => Missing option "-o" / "--output"; senn export --help says what there is
export nosuch -o a.csv => nosuch is not a run folder: it has no run.json
export nosuch -o a.xyz => a.xyz: an export ends in .pftrace (perfetto), .fst (fst)
export nosuch --to x -o a => Invalid value for "--to": "x" is not one of "perfetto", "fst"
export nosuch --to kanata -o a => format "kanata" is gone: write perfetto, a file that ends in .pftrace
export moved -o a.csv => moved is a motion, not a run; senn explain, plot and report take it
view moved => senn view is now senn export RUN -o run.pftrace, a file that ui.perfetto.dev opens
report kept -o page.pdf => page.pdf: a report ends in .html; name it so
report kept -o there.html => there.html is a folder; name a file in it, such as there.html/report.html
report kept -o file/page.html => {here}/file is a file, not a folder; choose another place
report kept nowhere -o none.html => nowhere is not a run folder
report moved moved -o a.html => moved is a motion, and a page has one; leave moved out
explain moved I.b => moved is a motion, which has no parts; leave I.b out

diff kept => Missing argument "OTHER": the run folder to compare with
diff kept nowhere => nowhere is not a run folder
diff kept bare => ...this needs the instructions of the run
diff --hash bare => ...this needs the instructions of the run
diff --hash kept 1234 => 1234 is not a run folder
diff moved moved => moved is a motion, not a run; senn explain, plot and report take it
retime moved --machine raw => moved is a motion, not a run; senn explain, plot and report take it
retime kept --machine k40c => machine k40c has network = "full", but this schedule was placed with
retime kept --set machine.routing=greedy => ...routing = "greedy", but this schedule was placed with
retime kept --set machine.nodes=8 => ...nodes = 8, but this schedule was placed with nodes = 0
retime kept --set machine.nodes=8 => ...set machine.nodes=0, or make a run on that machine
retime kept --machine nobody => machine "nobody" is not known
retime kept --set timing.word=-1 => ...must not be negative
retime kept --map map.txt => map.txt: a picture ends in .png, .svg, .pdf; choose one of these
retime kept --machine raw -o kept --force => kept is the run to time anew; choose another folder
retime kept --machine raw -o ./kept --force => kept is the run to time anew; choose another folder
retime kept --machine raw -o link --force => link is the run to time anew; choose another folder

steps --n x => n "x": write 8,16,32 or 1:1024 or 8:64:8, whole numbers from 1 in rising order
steps --n 1:99999999999 => n "1:99999999999": this machine model is made for at most 1,048,576 links
steps --n 65537 --residency home => n = 65537: more than 65,536 links are timed by classes of channels alone,
program --n 0 => --n is 0; write a whole number from 1
program --step V => no step of this program is "V" or starts with it: the steps are I.a, I.b, I.c
optimise random:8 => Got unexpected extra argument (random:8): write --n 8; senn optimise --help
optimise --plot a.png => option "optimise --plot" is gone: --json has the history of a search
optimise --n 4 -o table.txt => table.txt: a table ends in .csv; write table.csv
optimise --n 4 --allocation identity,gray -o t.csv => t.csv: the arrays have different tables
optimise --n 4 --search all => --search is "all"; write one of renamings, levels
optimise --n 4 --search arrays => search "arrays" is gone: give assignments of your own, --arrays

list x => there is no list "x"; choose robots, links, problems, algorithms, machines, allocations, networks;
list networks --plot a.svg => --plot draws one network: say which, such as senn list networks senn
list networks senn --arrays 2 => --arrays belongs to --plot: the measures are of the network
list robots x => there is no bundled robot "x"; there are: ssrms, station25, ur5
list links => senn list links needs a URDF file: senn list links arm.urdf
list robots --nodes 3 => --nodes belongs to senn list allocations and networks; leave it out
list networks --nodes 2000 => --nodes 2000: a network is measured for 1 to 1024 nodes
list allocations gray --nodes 1000000000000 => Invalid value for "--nodes": 1000000000000 is not in
list allocations spiral => allocation "spiral" is not known

compare --form papr => --form is "papr"; write one of paper, short, omega; did you mean paper?
compare --form paper --form paper => compare: form has "paper" twice; drop one
compare --n 8 => compare: n is given and nothing depends on it; write problem = "random:
compare --set timing.wrd=1 => timing.wrd is not known; the fields are timing.flop
compare --set timing.word => ..."timing.word": write FIELD=VALUE, such as timing.word=4
compare --machine own.toml => ...own.toml: no such file
compare --set timing.post=9223372036854775808 => timing.post is 9223372036854775808; write a whole number from
compare nobody --plot a.txt => a.txt: a picture ends in .png
study none.toml => none.toml: no such file
study moved => moved: is a folder, not a file
study s.toml --scheduler tcp://a:1 --workers 2 => workers are processes of this computer; a scheduler has its
study s.toml -o s.toml => ...s.toml is a file, not a folder; choose another place

simulate ur5 => Missing option "--until"
simulate ur5 --until x => Invalid value for "--until"
simulate ur5 --until 1 --step 0.3 => until 1 s is no whole number of steps of 0.3 s
simulate ur5 --until 1 --algorithm lambda => the algorithm lambda computes
simulate moved --until 1 => moved is a folder; give a file in it: moved/problem.toml
simulate ur5_free --until 1 --torque nosuch.csv => nosuch.csv: no such file
simulate ur5_free --until 1 --torque 1,2 => torque has shape (2,), expected (6,)
simulate ur5_free --until 1 --torque mine.py:none => mine.py: there is no function none: write def none(t, q
simulate ur5_free --until 1 -o mine.py => {here}/mine.py is a file, not a folder
simulate ur5_free --until 1 -o full => full is there and is not the folder of a motion
simulate ur5 --contact line --until 1 => ur5: the contact forbids the velocity at the start

new my.txt --robot ssrms => my.txt: a problem or machine file ends in .toml; name it so
new my.toml --robot hal9000 => unknown problem "hal9000": give a bundled problem
new my.toml --robot gone.urdf => gone.urdf: no such file
new my.toml --robot p.toml => p.toml: is no robot file
new my.toml => nothing to begin with: name a robot, such as ur5, or a machine, such as mark3
new my.toml --robot ssrms --tip x => ...a tip is chosen for a URDF file only; leave the tip out
new gone/sub/my.toml --robot ssrms --contact glue => --contact is "glue"; write one of
new p.toml --robot ur5 => p.toml is there already; --force replaces it, or take another name
new mine.toml --machine mark3 --robot ur5 => robot belongs to a problem file
new mine.toml --machine mark3 --contact weld => contact belongs to a problem file
new mine.toml --machine paper => ...the machine is now called fijany
new mine.toml --machine mark9 => ...the presets are
new mine.txt --calibrate => mine.txt: a problem or machine file ends in .toml; name it so
new p.toml --calibrate => p.toml is there already; --force replaces it, or take another name
new there.toml --calibrate --force => there.toml is a folder; name a file in it
new mine.toml --calibrate 0 => ...0 is not in the range x>=1
new mine.toml --calibrate --machine raw => --machine and --calibrate begin different files

check ur5 --answers none.npz => none.npz: is not an .npz file of numbers
check ur5 --answers text.npz => text.npz: is not an .npz file of numbers
check ur5 --answers half.npz => half.npz: is not an .npz file of numbers
mpi ur5 --ranks 7 => 7 ranks, but the program has n = 6: take at most 6
mpi nosuch => unknown problem "nosuch"
run moved => moved is a folder; give a file in it: moved/problem.toml

run -o file => file is a file; a run is written as a folder, choose another name
run -o full => full is there and is not a run folder; choose another name (it is left as it is)
run -o file/run => {here}/file is a file, not a folder; choose another place
run -o moved => moved is there and is not a run folder; choose another name
run -o . --force => . is in use and cannot be replaced; choose another place
run -o .. --force => .. is in use and cannot be replaced; choose another place
run -o ../{name} --force => ../{name} is in use and cannot be replaced; choose another place
run -o / --force => / is in use and cannot be replaced; choose another place
run -o kept/inner => kept/inner is inside {here}/kept, a sealed folder; choose another place
run --plot kept/a.png => kept/a.png is inside {here}/kept, a sealed folder; choose another place
export kept -o kept/a.pftrace => kept/a.pftrace is inside {here}/kept, a sealed folder; choose another place
export kept -o kept/deep/a.csv => kept/deep/a.csv is inside {here}/kept, a sealed folder; choose another
export kept --to csv -o kept/run.json => kept/run.json is inside {here}/kept, a sealed folder; choose another
report kept -o link/a.html => link/a.html is inside {here}/kept, a sealed folder; choose another place
plot kept -o kept/a.png => kept/a.png is inside {here}/kept, a sealed folder; choose another place
plot kept -o kept/deep/timeline.png => kept/deep/timeline.png is inside {here}/kept, a sealed folder; choose
plot ssrms --kind arm -o kept/arm.svg => kept/arm.svg is inside {here}/kept, a sealed folder; choose another
plot moved --kind energy -o moved/e.png => moved/e.png is inside {here}/moved, a sealed folder; choose another
retime kept --machine mark3 -o kept/inner => kept/inner is inside {here}/kept, a sealed folder; choose another
new kept/p.toml --robot ur5 => kept/p.toml is inside {here}/kept, a sealed folder; choose another place
steps --n 1:2 --plot kept/a.png => kept/a.png is inside {here}/kept, a sealed folder; choose another place
optimise --n 2 -o kept/a.csv => kept/a.csv is inside {here}/kept, a sealed folder; choose another place
study s.toml -o kept/study => kept/study/study.toml is inside {here}/kept, a sealed folder; choose another
run random:2 -o loop => loop is a link that leads back to itself; choose another place
run random:2 --force -o loop => loop is a link that leads back to itself; choose another place
mpi ur5 -o loop => loop is a link that leads back to itself; choose another place
retime kept --machine mark3 -o loop => loop is a link that leads back to itself; choose another place
simulate ur5 --until 0.01 -o loop => {here}/loop is a link that leads back to itself; choose another place
study s.toml -o loop => {here}/loop is a link that leads back to itself; choose another place
export kept --to csv -o loop => loop is a link that leads back to itself; choose another place
export kept --to otf2 -o loop => loop is a link that leads back to itself; choose another place
report kept -o loop.html => loop.html is a link that leads back to itself; choose another place
plot kept -o loop.png => loop.png is a link that leads back to itself; choose another place
optimise --n 2 -o loop.csv => loop.csv is a link that leads back to itself; choose another place
"""
"""A command, and how its refusal begins, or after dots what is in it."""


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A folder with runs, a motion, files and links of all kinds."""
    place = tmp_path_factory.mktemp("here")
    for name, text in FILES.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
    for name in ("there.toml", "there.html", "there.png"):
        (place / name).mkdir()
    for end in ("", ".html", ".png", ".csv"):
        (place / f"loop{end}").symlink_to(f"other{end}")
        (place / f"other{end}").symlink_to(f"loop{end}")
    shutil.copy(ROOT / "algorithms" / "robots" / "ur5.urdf", place / "arm.urdf")
    library.run("random:2", numbers=False, machine="raw").save(place / "kept")
    library.run("random:2", numbers=False, machine="raw", detail="summary").save(place / "bare")
    library.simulate("ur5_free", folder=place / "moved", **SHORT)
    (place / "link").symlink_to("kept")
    return place


@pytest.mark.parametrize(("words", "text"), [row.split(" => ") for row in ROWS.splitlines() if row])
def test_a_refusal_is_one_clear_line(here, monkeypatch, words, text):
    """It says what, where and the way out; a place is refused before the work."""
    monkeypatch.chdir(here)
    if "choose another" in text:
        monkeypatch.setattr("senn.api.solving.run", lambda *a, **k: pytest.fail("the simulation was started"))
    before = {path: path.lstat().st_mtime_ns for path in here.rglob("*")}
    names = {"here": here, "name": here.name}
    said, text = refused(*shlex.split(words.format(**names))), text.format(**names)
    assert text[3:] in said if text.startswith("...") else said.startswith(text)
    assert {path: path.lstat().st_mtime_ns for path in here.rglob("*")} == before
    assert Path.cwd() == here
