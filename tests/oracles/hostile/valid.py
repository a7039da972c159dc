"""A small valid file of every kind that users write, and the command lines that read it."""

ROBOT = """
name = "two_bar"
description = "two links"
source = "made up"

[[link]]
joint = "shoulder"
type = "revolute"
axis = [0.0, 0.0, 1.0]
origin = [0.0, 0.0, 0.3]
rpy = [0.0, 0.0, 0.0]
mass = 2.0
centre = [0.2, 0.0, 0.0]
inertia = [0.01, 0.02, 0.02, 0.0, 0.0, 0.0]

[[link]]
joint = "elbow"
type = "prismatic"
axis = [1.0, 0.0, 0.0]
origin = [0.4, 0.0, 0.0]
mass = 1.0
centre = [0.1, 0.0, 0.0]
inertia = [0.01, 0.02, 0.02, 0.0, 0.0, 0.0]

[tip]
origin = [0.4, 0.0, 0.0]
rpy = [0.0, 0.0, 0.0]

[[branch]]
at = 1
[[branch.link]]
joint = "finger"
type = "revolute"
axis = [0.0, 1.0, 0.0]
origin = [0.1, 0.0, 0.0]
mass = 0.1
centre = [0.01, 0.0, 0.0]
inertia = [0.001, 0.002, 0.002, 0.0, 0.0, 0.0]
"""

WIDE_ROBOT = """
name = "wide"
[[link]]
joint = "base"
type = "universal"
axis = [0.0, 0.0, 1.0]
second_axis = [1.0, 0.0, 0.0]
origin = [0.0, 0.0, 0.3]
mass = 2.0
centre = [0.2, 0.0, 0.0]
inertia = [0.01, 0.02, 0.02, 0.0, 0.0, 0.0]
[[link]]
joint = "screw"
type = "helical"
pitch = 0.01
axis = [1.0, 0.0, 0.0]
origin = [0.4, 0.0, 0.0]
mass = 1.0
centre = [0.1, 0.0, 0.0]
inertia = [0.01, 0.02, 0.02, 0.0, 0.0, 0.0]
[[link]]
joint = "ball"
type = "spherical"
origin = [0.4, 0.0, 0.0]
mass = 1.0
centre = [0.1, 0.0, 0.0]
inertia = [0.01, 0.02, 0.02, 0.0, 0.0, 0.0]
[tip]
origin = [0.4, 0.0, 0.0]
"""

PROBLEM = """
robot = "random:3:seed=5"
gravity = [0.0, 0.0, -9.81]
q = [0.1, 0.2, 0.3]
qd = [0.1, 0.0, -0.1]
tau = [1.0, 2.0, 3.0]
qdd = [0.0, 0.1, 0.0]
tip_vector = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]

[contact]
kind = "I"
W = [[0], [0], [0], [0], [0], [1]]
H = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]
G_C = [0.0]
K_F = [0.0, 0.0, 0.0, 0.0, 0.0]
fixed_in = "end_effector"
acceleration = "classical"
"""

FRICTION = """
robot = "arm.urdf"
tip = "tool"
gravity = [0, 0, -9.81]
q = [0.1, 0.2]
qd = [0.1, 0.0]
tau = [1.0, 2.0]
[contact]
kind = "II"
W = [[0], [0], [0], [0], [0], [1]]
H = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]
phi = [[0], [0], [0], [0.3], [0]]
d = [0, 0, 0, 0, 0]
"""

GENERAL = """
robot = "robot.toml"
gravity = [0, 0, -9.81]
q = [0.1, 0.2, 0.0]
qd = [0.1, 0.0, 0.0]
tau = [1.0, 2.0, 0.0]
[contact]
kind = "general"
M1 = [[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,0,0,0],[0,0,0,0,1,0],[0,0,0,0,0,1]]
k1 = [0, 0, 0, 0, 0, 0]
M2 = [[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0],[0,0,0,1,0,0],[0,0,0,0,0,0],[0,0,0,0,0,0]]
k2 = [0, 0, 0, 0, 0, 0]
"""

URDF = """<?xml version="1.0" encoding="UTF-8"?>
<robot name="arm">
  <link name="base"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/> <child link="upper"/>
    <origin xyz="0 0 0.3" rpy="0 0.1 0"/> <axis xyz="0 0 1"/>
    <limit lower="-3.1" upper="3.1" effort="10" velocity="1"/>
  </joint>
  <link name="upper">
    <inertial><origin xyz="0.1 0 0"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="elbow" type="continuous">
    <parent link="upper"/> <child link="lower"/> <origin xyz="0.4 0 0"/> <axis xyz="0 1 0"/>
  </joint>
  <link name="lower">
    <inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="flange" type="fixed">
    <parent link="lower"/> <child link="tool"/> <origin xyz="0.3 0 0"/>
  </joint>
  <link name="tool"/>
</robot>
"""

MACHINE = """
[machine]
name = "mine"
clock_mhz = "12.5"
network = "senn"
ports = "all"
duplex = "full"
switching = "store-and-forward"
routing = "lowest"
[timing]
flop = "0.5"
trig = 12
startup = 100
word = "1.25"
post = 2
receive = 1
[source]
word = "a data sheet"
"""

GRAPHML = """<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="edge" attr.name="weight" attr.type="double"/>
<graph edgedefault="undirected">
<node id="0"/><node id="1"/><node id="2"/><node id="3"/>
<edge source="0" target="1"><data key="d0">1.0</data></edge>
<edge source="1" target="2"/><edge source="2" target="3"/><edge source="3" target="0"/>
</graph></graphml>
"""

EDGES = "0 1\n1 0\n1 2 # a channel\n2 1\n2 3\n3 2\n3 0\n0 3\n"

ALLOCATION = "0,1,2\n0,1,2\n2,0,1\n"

FUNCTION = """
def where(n, levels, nodes):
    return [[(i + 1) % nodes for i in range(n)] for level in range(levels + 1)]
"""

ARRAYS = '"II.a" = 3\n"II.b.1" = 3\n"II.a.1" = [2, 3]\n'

STUDY = """
[study]
name = "small"
[fixed]
problem = "random:{n}:seed=1"
numbers = false
[vary]
n = "2:3"
residency = ["home", "migrating"]
[[cases]]
label = "one word"
"timing.word" = 1
[[cases]]
label = "several"
"timing.word" = "4.5"
[plot]
x = "n"
y = "makespan"
colour = ["residency", "case"]
where = { form = "paper" }
"""

FILES = {
    "robot.toml": ROBOT,
    "wide.toml": WIDE_ROBOT,
    "problem.toml": PROBLEM,
    "friction.toml": FRICTION,
    "general.toml": GENERAL,
    "arm.urdf": URDF,
    "machine.toml": MACHINE,
    "net.graphml": GRAPHML,
    "net.edges": EDGES,
    "places.csv": ALLOCATION,
    "places.py": FUNCTION,
    "arrays.toml": ARRAYS,
    "study.toml": STUDY,
}

_QUICK = ("--detail", "summary")
READ_BY = {
    "robot.toml": (("run", "robot.toml", *_QUICK), ("run", "general.toml", *_QUICK)),
    "wide.toml": (("run", "wide.toml", *_QUICK), ("run", "wide.toml", "--seed", "3", *_QUICK)),
    "problem.toml": (
        ("run", "problem.toml", *_QUICK),
        ("run", "problem.toml", "--precision", "single", "--json"),
        ("run", "problem.toml", "--algorithm", "inverse-dynamics", *_QUICK),
        ("run", "problem.toml", "--algorithm", "lambda-inverse-times", *_QUICK),
        ("compare", "problem.toml", "--residency", "home", "--residency", "ahead"),
    ),
    "friction.toml": (("run", "friction.toml", *_QUICK),),
    "general.toml": (("run", "general.toml", *_QUICK), ("run", "general.toml", "--plot", "drawn.png")),
    "arm.urdf": (
        ("run", "arm.urdf", "--tip", "tool", *_QUICK),
        ("run", "arm.urdf", "--tip", "lower", "--seed", "7", "--json", *_QUICK),
        ("run", "arm.urdf"),
        ("run", "friction.toml", *_QUICK),
    ),
    "machine.toml": (
        ("run", "random:3", "--machine", "machine.toml", "--no-numbers", *_QUICK),
        ("run", "random:3", "--machine", "machine.toml", "--engine", "lockstep", "--json"),
        ("list", "machines", "machine.toml"),
        ("steps", "--n", "1:4", "--machine", "machine.toml"),
        ("optimise", "--n", "4", "--machine", "machine.toml", "--budget", "2"),
        ("optimise", "--n", "3", "--machine", "machine.toml", "--budget", "2", "--search", "levels"),
    ),
    "net.graphml": (
        ("list", "networks", "net.graphml"),
        ("run", "random:3", "--set", "machine.network=net.graphml", "--no-numbers", *_QUICK),
    ),
    "net.edges": (
        ("list", "networks", "net.edges"),
        ("run", "random:3", "--set", "machine.network=net.edges", "--residency", "home", *_QUICK),
    ),
    "places.csv": (
        ("run", "random:3", "--allocation", "places.csv", "--no-numbers", *_QUICK),
        ("run", "random:3", "--allocation", "places.csv,identity", "--no-numbers", *_QUICK),
    ),
    "places.py": (
        ("run", "random:3", "--allocation", "places.py:where", "--no-numbers", *_QUICK),
        ("list", "allocations", "places.py:where"),
    ),
    "arrays.toml": (
        ("run", "random:3", "--arrays", "arrays.toml", "--no-numbers", *_QUICK),
        ("steps", "--n", "2", "--arrays", "arrays.toml"),
    ),
    "study.toml": (("study", "study.toml"), ("study", "study.toml", "--json", "-o", "kept")),
}
"""The command lines that read a file of this name, directly or through another."""
