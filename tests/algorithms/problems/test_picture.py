"""The arm stands where Pinocchio has it, link by link in the colours of the processes."""

from dataclasses import replace
from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.colors import to_rgb
from matplotlib.transforms import Bbox
from mpl_toolkits.mplot3d import proj3d

import senn
from senn.algorithms.robots import urdf
from senn.algorithms.robots.chain import points
from senn.base.errors import InputError
from senn.traces.pictures.style import ramp
from tests.algorithms.robots import oracle
from tests.algorithms.robots.urdf.test_urdf import joint, link, robot


@pytest.mark.parametrize("name", ["ur5", "panda", "xarm7"])
def test_real_arms_stand_as_pinocchio_has_them(name):
    """The tip, where it points, and the axes of all joints, at a position of no special kind."""
    chain, other = oracle.arm(name)
    q = np.linspace(0.3, 1.1, chain.coordinates)
    places, axes = points(chain, q)
    np.testing.assert_allclose(places[-1], other.tip_position(q), atol=1e-12)
    np.testing.assert_allclose(axes[-1], other.tip_rotation(q), atol=1e-12)


def test_joints_of_a_generated_arm_point_as_pinocchio_has_them():
    """Revolute and prismatic, all z axes of frames i."""
    problem = senn.problem("random:9:prismatic=0.4")
    other = oracle.oracle(problem.chain)
    _, axes = points(problem.chain, problem.q)
    np.testing.assert_allclose(axes[:-1, :, 2], other.axes(problem.q), atol=1e-12)


def _links(ax):
    return [line for line in ax.lines if line.get_linewidth() == 7]


def test_a_link_is_drawn_from_joint_to_joint():
    """As many as processes, each in its colour, joined; title and tip say how far that is."""
    problem = senn.problem("ssrms")
    ax = problem.plot()
    places, _ = points(problem.chain, problem.q)
    drawn = [np.array(line.get_data_3d()).T for line in _links(ax)]
    np.testing.assert_allclose(drawn, np.stack([places[:-1], places[1:]], axis=1))
    assert [to_rgb(line.get_color()) for line in _links(ax)] == ramp(7)
    (star,) = [line for line in ax.lines if line.get_marker() == "*"]
    np.testing.assert_allclose(np.array(star.get_data_3d())[:, 0], places[-1])
    reach = np.linalg.norm(places[-1] - places[0])
    assert f"the tip is {reach:.3g} m from the base" in ax.get_title(loc="left")
    assert ax.get_title(loc="left").startswith("ssrms: 7 links, as many processes")


def test_prismatic_joints_are_squares_and_branches_are_thin():
    """Of a tree: the main chain thick, one thin line a branch, which begins at the link that it hangs on."""
    problem = senn.problem("random:6:prismatic=0.5:seed=3")
    markers = [line.get_marker() for line in problem.plot().lines if line.get_markersize() == 6]
    wanted = ["s" if joint == "prismatic" else "o" for joint in problem.chain.joints]
    assert markers == wanted
    assert set(markers) == {"s", "o"}


def test_a_side_branch_is_at_its_place():
    """By hand: it begins at the nearest point of the link that it hangs on."""
    text = robot(
        *(link("base"), link("a", 1), link("b", 1), link("side", 1)),
        joint("one", "base", "a", inner='<origin xyz="0 0 0.5"/><axis xyz="0 0 1"/>'),
        joint("two", "a", "b", inner='<origin xyz="1 0 0"/><axis xyz="0 1 0"/>'),
        joint("three", "a", "side", inner='<origin xyz="0.5 0 0.25"/><axis xyz="1 0 0"/>'),
    )
    chain = urdf.read(text, "b")
    problem = senn.problem(chain, q={"one": np.pi / 2, "two": 0.0, "three": 0.7})
    thin = [line for line in problem.plot().lines if line.get_linewidth() == 2.5]
    bracket, branch = (np.array(line.get_data_3d()).T for line in thin)
    # Joint three is 0.5 along the first link, which points along y, and 0.25 above it.
    np.testing.assert_allclose(branch[0], [0.0, 0.5, 0.75], atol=1e-12)
    np.testing.assert_allclose(bracket, [[0.0, 0.5, 0.5], branch[0]], atol=1e-12)  # no gap to the link
    assert "1 joint on side branches" in problem.plot().get_title(loc="left").replace("\n", " ")


@pytest.mark.parametrize("letters", [5, 60, 250])
def test_the_whole_title_is_in_the_picture(letters):
    """In as many lines as it needs."""
    problem = replace(senn.problem("ssrms"), name="n" * letters)
    ax = problem.plot()
    ax.figure.canvas.draw()
    (title,) = (text for text in ax.findobj(mpl.text.Text) if text.get_text().startswith("nnn"))
    assert title.get_text().replace("\n", "").startswith("n" * letters + ": 7 links")
    box, page = title.get_window_extent(), ax.figure.bbox
    assert page.x0 <= box.x0 < box.x1 <= page.x1
    assert page.y0 <= box.y0 < box.y1 <= page.y1


def test_a_long_arm_has_small_joints():
    """64 links: all are drawn, few are numbered, and no axes are in the way."""
    ax = senn.problem("snake:64").plot()
    assert len(_links(ax)) == 64
    assert len([line for line in ax.lines if line.get_markersize() == 3]) == 64
    assert len(ax.texts) <= 24


@pytest.mark.parametrize("name", ["random:25", "snake:64", "rods:40"])
def test_numbers_of_a_long_arm_do_not_cover_each_other(name):
    """As they are drawn: matplotlib's own projection, and the size of the letters."""
    ax = senn.problem(name).plot()
    ax.figure.canvas.draw()
    boxes = []
    for text in ax.texts:
        x, y, _ = proj3d.proj_transform(*text.get_position_3d(), ax.get_proj())
        size = text.get_window_extent()
        boxes.append(Bbox.from_bounds(*ax.transData.transform((x, y)), size.width, size.height))
    assert len(boxes) > 3
    assert not [1 for one, other in combinations(boxes, 2) if one.overlaps(other)]


def test_flat_axes_are_refused():
    """With what to give."""
    with pytest.raises(InputError, match='projection="3d"'):
        senn.problem("ur5").plot(pyplot.figure().add_subplot())
