"""The way from the base to the tip of a tree, and what could be the base or the tip."""

from senn.algorithms.robots.urdf.part import Part
from senn.algorithms.robots.urdf.rooted import root
from senn.algorithms.robots.urdf.tree import Joint, Tree
from senn.traces.errors import InputError

_LISTED = 12  # links that a message lists


def the_base(tree: Tree, part: Part) -> str:
    """The link that does not move."""
    if part.base is not None:
        if part.base not in tree.inertials:
            raise InputError(f"{tree.name}: there is no link '{part.base}' to be the base; {_links(tree)}")
        return part.base
    if part.tip in tree.inertials:
        return root(tree, part.tip)
    roots = [link for link in tree.inertials if link not in tree.above]
    if not tree.inertials:
        raise InputError(f"{tree.name}: there is no link in it, so there is no robot")
    if not roots:
        raise InputError(f"{tree.name}: every link is below another, in a cycle; a tree needs a root")
    if len(roots) > 1 and part.tip is None:
        raise InputError(
            f"{tree.name}: {len(roots)} robots stand beside each other, on the links {_some(roots)}; choose "
            "one with --base or --tip"
        )
    return roots[0]


def the_tip(tree: Tree, base: str, tip: str | None) -> tuple[str, tuple[str, ...]]:
    """The link of the end effector, and a sentence if it was not chosen."""
    if tip is not None:
        if tip not in tree.inertials:
            raise InputError(f"{tree.name}: there is no link '{tip}' to be the tip; {candidates(tree, base)}")
        return tip, ()
    moved = [link for link, joints in leaves(tree, base) if joints]
    if not moved:
        raise InputError(f"{tree.name}: no joint moves on the base '{base}'; choose another --base")
    if len(moved) != 1:
        raise InputError(
            f"{tree.name}: a URDF needs a tip, the link of the end effector; choose one with --tip "
            f"({candidates(tree, base)})"
        )
    return moved[0], (f"the tip is link '{moved[0]}', the only one at the end of a chain",)


def path_to(tree: Tree, base: str, tip: str) -> list[Joint]:
    """The joints from the base to the tip, of which one moves."""
    path: list[Joint] = []
    link = tip
    while link != base and link in tree.above:
        path.append(tree.above[link])
        link = path[-1].parent
    path.reverse()
    if link != base:
        raise InputError(
            f"{tree.name}: no way leads from the base '{base}' to the tip '{tip}' (none goes through a "
            f"floating joint in reverse); choose --base on the tip's side, or --lock that joint; "
            f"{candidates(tree, base)}"
        )
    if all(joint.type == "fixed" for joint in path):
        raise InputError(
            f"{tree.name}: no moving joint lies between the base '{base}' and '{tip}'; choose another tip or "
            f"--base; {candidates(tree, base)}"
        )
    return path


def leaves(tree: Tree, base: str) -> list[tuple[str, int]]:
    """The links at the ends of the chains that go out from the base, in the order of the file, and how many
    joints move each."""
    joints = reached(tree, base)
    return [(link, joints[link]) for link in tree.inertials if link in joints and not tree.below[link]]


def candidates(tree: Tree, base: str) -> str:
    """The links that can be the tip, in words; the longest chains first, if not all are said."""
    found = leaves(tree, base)
    if len(found) > _LISTED:
        found.sort(key=lambda one: -one[1])
    told = [f"{link} ({joints} joint{'s' * (joints != 1)})" for link, joints in found]
    return f"links at the end of a chain from '{base}': {_some(told)}"


def reached(tree: Tree, base: str) -> dict[str, int]:
    """How many joints move each link, of those that can be reached from the base."""
    found: dict[str, int] = {}
    stack = [(base, 0)]
    while stack:
        link, joints = stack.pop()
        found[link] = joints
        stack += [(joint.child, joints + (joint.type != "fixed")) for joint in tree.below[link]]
    return found


def _links(tree: Tree) -> str:
    return f"the links are {_some(list(tree.inertials))}"


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"{', '.join(names[:_LISTED]) or 'none'}{more}"
