"""How each refusal reads: status 2, one line, nothing on stdout and nothing written."""

from pathlib import Path

import pytest

from tests.places import ROOT
from tests.senn.cli.command import refused

UR5 = ROOT / "algorithms" / "robots" / "ur5.urdf"


PRESETS = (
    "cluster, cmos45, epiphany, epiphany-dma, fijany, ideal, ipsc860, ipsc860-long, k40c, mark3, maspar, "
    "raw, t800"
)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("rum", 'No such command "rum"; did you mean run? senn --help says what there is'),
        ("optimise --netwrk ring", 'No such option "--netwrk"; senn optimise --help says'),
        ("run --machin t800", 'No such option "--machin"; did you mean --machine? senn run --help says'),
        ("run ssrm", "or a .urdf file with its tip; did you mean ssrms?"),
        ("run --machine mark4", "a file of your own ends in .toml; did you mean mark3?"),
        ("run --algorithm Divide_and_conqer", "; did you mean divide-and-conquer?"),
        ("run --set timing.strtup=3", "post, receive, compare, root; did you mean startup?"),
        ("run --allocation gry", "FILE.py:FUNCTION; did you mean gray?"),
        ("plot arm --kind energi -o a.png", '"animation"; did you mean energy? senn plot --help says'),
        ("list networks hypercub", ".edges, .edgelist; did you mean hypercube?"),
        ("list machine", "networks; did you mean machines? senn list --help says what there is"),
    ],
)
def test_a_misspelt_name_has_its_neighbour_at_the_end_of_the_line(words, text):
    assert text in refused(*words.split())


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("run a b", "Got unexpected extra argument (b); senn run --help says what there is"),
        ("optimise random:8", "Got unexpected extra argument (random:8): write --n 8; senn optimise --help"),
        ("run --tip", 'Option "--tip" requires an argument; senn run --help says what there is'),
        ("run --refine 6", "--refine is 6; write a whole number from 0 to 5"),
        ("run --residency x", '--residency is "x"; write one of migrating, ahead, home'),
        ("run --seed -1", "--seed is -1; write a whole number from 0 to 9223372036854775807"),
        ("run --seed 1.5", '--seed is "1.5"; write a whole number from 0'),
        ("run --set x", 'Invalid value for "--set": "x": write FIELD=VALUE, such as timing.word=4'),
        ("run --set a=1 --set a=2", 'Invalid value for "--set": "a" is given twice'),
        ("run --values --detail summary", "--values needs --detail full: values go with the messages"),
        (
            "run nosuch",
            'unknown problem "nosuch": give a bundled problem (ssrms, ssrms_payload, station25, ur5, '
            "ur5_free, ur5_friction)",
        ),
        (f"run {UR5}", f"{UR5}: a URDF needs a tip, the link of the end effector; "),
        (
            "run --machine x",
            f'machine "x" is not known: the presets are {PRESETS}; a file of your own ends in',
        ),
        ("show", "senn show is now senn explain RUN"),
        ("explain ./nosuch", "nosuch is not a run folder: it has no run.json"),
        ("explain file", "file is not a run folder: it has no run.json"),
        ("plot nosuch", 'Missing option "-o" / "--output"; senn plot --help says what there is'),
        ("plot nosuch -o a.png", "nosuch is not a run folder: it has no run.json"),
        ("plot nosuch -o a.gif", "a.gif: a picture ends in .png, .svg, .pdf; choose one of these"),
        (
            "plot nosuch --kind x -o a.png",
            'Invalid value for "--kind": "x" is not one of "timeline", "phases"',
        ),
        (
            "plot nosuch --kind phases --arrows -o a.png",
            "plot: --arrows belongs to timeline; phases has --from, --to",
        ),
        (
            "plot nosuch --kind heat --from 0 -o a.png",
            "plot: --from belongs to timeline, phases, critical; heat has --of",
        ),
        ("plot nosuch --nodes 3:1 -o a.png", 'Invalid value for "--nodes": "3:1": the first'),
        ("plot nosuch --kind spacetime -o a.png", 'picture "spacetime" is gone: the timeline draws messages'),
        ("plot nosuch --cycle 5 -o a.png", 'option "plot --cycle" is gone: it belonged to --kind moment'),
        ("optimise --plot a.png", 'option "optimise --plot" is gone: --json has the history of a search'),
        ("export nosuch", 'Missing option "-o" / "--output"; senn export --help says what there is'),
        ("export nosuch -o a.csv", "nosuch is not a run folder: it has no run.json"),
        ("export nosuch -o a.xyz", "a.xyz: an export ends in .pftrace (perfetto), .fst (fst)"),
        ("export nosuch --to x -o a", 'Invalid value for "--to": "x" is not one of "perfetto", "fst"'),
        (
            "export nosuch --to kanata -o a",
            'format "kanata" is gone: write perfetto, a file that ends in .pftrace',
        ),
        ("steps --n x", 'n "x": write 8,16,32 or 1:1024 or 8:64:8, whole numbers from 1 in rising order'),
        (
            "steps --n 1:99999999999",
            'n "1:99999999999": this machine model is made for at most 1,048,576 links',
        ),
        (
            "steps --n 65537 --residency home",
            "n = 65537: more than 65,536 links are timed by classes of channels alone, and they need "
            "residency migrating or ahead: change that, or take fewer links",
        ),
        ("program --n 0", "--n is 0; write a whole number from 1"),
        ("optimise --n 4 -o table.txt", "table.txt: a table ends in .csv; write table.csv"),
        ("optimise --n 4 --allocation identity,gray -o t.csv", "t.csv: the arrays have different tables"),
        ("optimise --n 4 --search all", '--search is "all"; write one of renamings, levels'),
        ("optimise --n 4 --search arrays", 'search "arrays" is gone: give assignments of your own, --arrays'),
        ("program --step V", 'no step of this program is "V" or starts with it: the steps are I.a, I.b, I.c'),
        (
            "list x",
            'there is no list "x"; choose robots, links, problems, algorithms, machines, allocations, '
            "networks; senn list --help says what there is",
        ),
        (
            "list networks --plot a.svg",
            "--plot draws one network: say which, such as senn list networks senn",
        ),
        ("list networks senn --arrays 2", "--arrays belongs to --plot: the measures are of the network"),
        ("list robots x", 'there is no bundled robot "x"; there are: ssrms, station25, ur5'),
        ("list links", "senn list links needs a URDF file: senn list links arm.urdf"),
        ("list robots --nodes 3", "--nodes belongs to senn list allocations and networks; leave it out"),
        ("list networks --nodes 2000", "--nodes 2000: a network is measured for 1 to 1024 nodes"),
        (
            "list allocations gray --nodes 1000000000000",
            'Invalid value for "--nodes": 1000000000000 is not in',
        ),
        ("plot -o a.png", 'Missing argument "RUN": the run folder to draw'),
        ("plot x --tip tool0 -o a.png", "--tip belongs to --kind arm, which draws a problem; leave it out"),
        ("plot ur5 --kind arm --from 3 -o a.png", "--from belongs to pictures of a run"),
        (f"run ur5 --seed {2**63}", f"--seed is {2**63}; write a whole number from 0 to"),
        ("claims", "senn claims is now python -m experiments claims, in a checkout"),
    ],
)
def test_bad_input_is_one_clear_line(folder, words, text):
    """Status 2, one line that says what, where and the way out; nothing on stdout, nothing written."""
    Path("file").touch()
    assert refused(*words.split()).startswith(text)
    assert [path.name for path in folder.iterdir()] == ["file"]
