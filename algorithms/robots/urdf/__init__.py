"""URDF: the XML as a tree of checked links and joints, and from it a chain with its branches.

`part`: which part of the robot is the arm, a value. `tree`: the XML, checked. `locked`, `rooted`: trees from
trees. `paths`: from the base to the tip. `branches`: what moves beside it. `reader`: the chain.
"""

from senn.algorithms.robots.urdf.part import WHOLE, Part
from senn.algorithms.robots.urdf.reader import links, read

__all__ = ["WHOLE", "Part", "links", "read"]
