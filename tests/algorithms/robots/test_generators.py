"""Generated arms, states and contacts: what they promise, and that the draws stay as documented."""

from dataclasses import replace

import numpy as np
import pytest

from senn.algorithms.problems import contacts as contact
from senn.algorithms.problems import draw
from senn.algorithms.robots import generators, urdf
from senn.base.errors import InputError
from tests.algorithms.robots.oracle import DATA, oracle, relative
from tests.algorithms.robots.states import mild_state
from tests.oracles import constraint_force

GRAVITY = np.array([0.0, 0.0, -9.81])


def test_the_arm_is_drawn_from_stream_0_in_the_documented_order():
    """Redrawn here by hand: quaternions, P, S, m."""
    chain = generators.generate("random:5:seed=3")
    rng = np.random.default_rng([3, 0])
    quaternion = rng.standard_normal((5, 4))
    np.testing.assert_array_equal(chain.position, rng.uniform(-0.3, 0.3, (5, 3)))
    np.testing.assert_array_equal(chain.centre, rng.uniform(-0.15, 0.15, (5, 3)))
    np.testing.assert_array_equal(chain.mass, rng.uniform(0.5, 1.5, 5))
    w, x, y, z = quaternion[0] / np.linalg.norm(quaternion[0])
    assert chain.rotation[0, 0, 0] == pytest.approx(w * w + x * x - y * y - z * z, abs=1e-15)


def test_the_state_is_drawn_from_stream_1_and_the_torque_is_its_inverse_dynamics():
    chain = generators.generate("random:9:prismatic=0.4:seed=2")
    q, qd, tau = mild_state(chain, 6, GRAVITY)
    rng = np.random.default_rng([6, 1])
    reach = np.where(np.array(chain.joints) == "revolute", 2.0, 0.1)
    np.testing.assert_array_equal(q, reach * rng.uniform(-1, 1, 9))
    np.testing.assert_array_equal(qd, 0.3 * rng.standard_normal(9) / 3.0)
    model = oracle(chain)
    model.set_gravity(GRAVITY)
    assert relative(tau, model.inverse_dynamics(q, qd, rng.standard_normal(9) / 3.0)) < 1e-14


@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 1), (3, 2), (6, 5), (7, 6), (20, 6)])
def test_the_contact_constrains_what_the_arm_can_resist(n, count):
    chain = generators.generate(f"random:{n}")
    drawn = contact.draw(chain, 4)
    both = np.hstack([drawn.W, drawn.H])
    assert (drawn.kind, drawn.constrained, both.shape) == ("I", count, (6, 6))
    np.testing.assert_allclose(both.T @ both, np.eye(6), atol=1e-14)
    assert drawn.G_C is None
    np.testing.assert_array_equal(drawn.K_F != 0, np.ones(6 - count, dtype=bool))
    np.testing.assert_array_equal(drawn.W, contact.draw(chain, 4).W)
    if n < 7:
        assert np.abs(drawn.W - contact.draw(chain, 5).W).max() > 0.1


def test_the_contact_is_drawn_from_stream_2_in_the_documented_order():
    """The orthogonal matrix is that of Gram-Schmidt, first column along the first one drawn; then K_F."""
    drawn = contact.draw(generators.generate("random:3"), 8)
    rng = np.random.default_rng([8, 2])
    matrix = rng.standard_normal((6, 6))
    first = matrix[:, 0] / np.linalg.norm(matrix[:, 0])
    second = matrix[:, 1] - first * (first @ matrix[:, 1])
    np.testing.assert_allclose(drawn.W.T, [first, second / np.linalg.norm(second)], atol=1e-14)
    np.testing.assert_array_equal(drawn.K_F, rng.standard_normal(4))


def test_an_arm_of_a_word_has_the_links_of_random_and_the_joints_of_the_word():
    """Links drawn as those of random; then the parameters: pitch in +-0.1 m/rad, axes 60 to 120 degrees."""
    chain = generators.generate("joints:RPHCUESFXHU:seed=5")
    links = generators.generate("random:11:seed=5")
    for field in ("rotation", "position", "centre", "mass", "inertia"):
        np.testing.assert_array_equal(getattr(chain, field), getattr(links, field))
    assert chain.joints == (
        *("revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical", "free"),
        *("welded", "helical", "universal"),
    )
    share = redrawn_parameters(11, 5)
    expected = np.zeros(11)
    expected[[2, 9]] = 0.2 * share[[2, 9]] - 0.1
    expected[[4, 10]] = np.deg2rad(60 + 60 * share[[4, 10]])
    np.testing.assert_allclose(chain.parameters, expected, rtol=1e-14)
    again = generators.generate("joints:seed=5:RPHCUESFXHU")
    np.testing.assert_array_equal(chain.parameters, again.parameters)


def redrawn_parameters(n, seed):
    """Stream 0 in the documented order: quaternions, P, S, m, gyration, its quaternions, parameters."""
    rng = np.random.default_rng([seed, 0])
    rng.standard_normal((n, 4))
    rng.uniform(size=(n, 3 + 3 + 1 + 3))
    rng.standard_normal((n, 4))
    return rng.uniform(size=n)


def test_a_drawn_state_of_many_degrees_is_redrawn_by_hand():
    """q uniform in +-2 rad, +-0.1 m, quaternions of unit length; qd and qdd normal over sqrt(degrees)."""
    chain = generators.generate("joints:CSFX:seed=1")
    q, qd, _ = mild_state(chain, 7, GRAVITY)
    rng = np.random.default_rng([7, 1])
    uniform = rng.uniform(-1, 1, 13)
    np.testing.assert_array_equal(q[:2], [2.0 * uniform[0], 0.1 * uniform[1]])
    for first in (2, 6):
        drawn = uniform[first : first + 4]
        np.testing.assert_allclose(q[first : first + 4], drawn / np.linalg.norm(drawn), rtol=1e-15)
    np.testing.assert_array_equal(q[10:], 0.1 * uniform[10:])
    np.testing.assert_array_equal(qd, 0.3 * rng.standard_normal(11) / np.sqrt(11))


def test_a_word_of_many_joints_is_drawn_with_a_welded_tip():
    """The contact follows the degrees of freedom: 3 spherical joints have 9."""
    assert draw(generators.generate("joints:SSS"), 1).contact.constrained == 6
    assert draw(generators.generate("joints:RSR"), 1).contact.constrained == 4


def test_the_share_of_prismatic_joints_is_about_what_was_asked():
    """Binomial, n = 4096, p = 0.3: 5 standard deviations are 147."""
    joints = generators.generate("random:4096:prismatic=0.3").joints
    assert abs(joints.count("prismatic") - 1229) < 147
    assert set(generators.generate("random:64").joints) == {"revolute"}


@pytest.mark.parametrize("n", [1, 2, 7, 64, 512])
def test_compact_arms_are_well_conditioned(n):
    """The condition number of A grows slowly with n: the arms are compact."""
    kappa, rho = constraint_force.condition(draw(generators.generate(f"random:{n}:seed=1"), 1))
    assert 1.0 <= kappa < 1e4
    assert rho > 1e-4


@pytest.mark.parametrize("slenderness", [0.1, 0.01])
def test_rods_are_solid_cylinders_of_the_slenderness(slenderness):
    """J_axial / J_across of a solid cylinder is 6 s^2 / (3 s^2 + 1), and its centre is half way."""
    chain = generators.generate(f"rods:5:slenderness={slenderness}:seed=2")
    moments = np.linalg.eigvalsh(chain.inertia)
    np.testing.assert_allclose(
        moments[:, 0] / moments[:, 2], 6 * slenderness**2 / (3 * slenderness**2 + 1), rtol=1e-9
    )
    np.testing.assert_allclose(moments[:, 1], moments[:, 2])
    np.testing.assert_allclose(2 * chain.centre, chain.position)
    np.testing.assert_allclose(np.linalg.norm(chain.position, axis=1), 0.3)
    along = np.einsum("ni,nij,nj->n", chain.position, chain.inertia, chain.position) / 0.09
    np.testing.assert_allclose(along, moments[:, 0], rtol=1e-6)


def test_the_snake_of_16_modules_is_as_long_and_heavy_as_published_and_turns_its_axes():
    chain = generators.generate("snake:16")
    model = oracle(chain)
    np.testing.assert_allclose(model.tip_position(np.zeros(16)), [0.94, 0.0, 0.0], atol=1e-12)
    assert chain.mass.sum() == pytest.approx(2.9)
    vertical = [abs(axis[2]) for axis in model.axes(np.zeros(16))]
    np.testing.assert_allclose(vertical, [1.0, 0.0] * 8, atol=1e-15)


def test_very_long_arms_can_be_made():
    chain = generators.generate("random:65536")
    assert chain.n == 65536
    assert np.isfinite(mild_state(chain, 0, GRAVITY)[2]).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("radnom:7", r'"radnom:7": there is no generator "radnom"; use random:N\[:prismatic=0.3\], snake:N'),
        ("random", "exactly one number of joints, 1 or more, is needed"),
        ("random:0", "exactly one number of joints, 1 or more, is needed"),
        ("random:-3", "exactly one number of joints, 1 or more, is needed"),
        ("random:3:4", "exactly one number of joints, 1 or more, is needed"),
        ("random:3.5", "exactly one number of joints, 1 or more, is needed"),
        ("random:00", "exactly one number of joints, 1 or more, is needed"),
        (
            "random:1048577",
            '"random:1048577": 1048577 joints are more than this machine model is made for; take at most '
            "1,048,576",
        ),
        ("snake:100000000", "100000000 joints are more than this machine model is made for"),
        (f"rods:{'9' * 5000}", f'": {"9" * 20}... joints are more than this machine model is made for'),
        ("joints", '"joints": exactly one word of joints is needed, as RSPRRU; use random:N'),
        ("joints:RR:SS", "exactly one word of joints is needed, as RSPRRU"),
        ("joints:", "exactly one word of joints is needed, as RSPRRU"),
        (
            "joints:RSQ",
            '"joints:RSQ": there is no joint "Q"; the letters are R revolute, P prismatic, H helical, C cyl',
        ),
        ("joints:rr", 'there is no joint "r"; the letters are R revolute'),
        ("joints:XX", "has welded joints only; at least one joint must move"),
        ("joints:R:prismatic=0.5", '"joints" has no option "prismatic"; it has: seed'),
        (
            f"joints:{'R' * 1048577}",
            '"joints:RRRRRRRRRRRRR...": 1048577 joints are more than this machine model is made for; take at',
        ),
        ("random:8:seed=x", 'the seed is a whole number, 0 to 9223372036854775807, not "x"'),
        ("random:8:seed=-1", 'the seed is a whole number, 0 to 9223372036854775807, not "-1"'),
        ("random:8:seed=1:seed=2", '"seed" is given twice'),
        ("random:8:slenderness=0.1", '"random" has no option "slenderness"; it has: prismatic, seed'),
        ("snake:8:prismatic=0.1", '"snake" has no option "prismatic"; it has: seed'),
        ("random:8:prismatic=1.5", 'prismatic is a share between 0 and 1, not "1.5"'),
        ("random:8:prismatic=nan", 'prismatic is a share between 0 and 1, not "nan"'),
        ("rods:8:slenderness=0", 'slenderness is radius/length, between 1e-6 and 1, not "0"'),
        ("rods:8:slenderness=thin", 'slenderness is radius/length, between 1e-6 and 1, not "thin"'),
    ],
)
def test_bad_words_are_refused(text, message):
    with pytest.raises(InputError, match=message):
        generators.generate(text)


def test_a_state_is_drawn_within_the_limits_and_without_any_it_is_what_it_was():
    """By hand, of the same uniform numbers u: +-2 rad without limits (2 u, to the bit); what limits leave of
    that; next to it; a slide of 0.1 m, where +-0.1 m are drawn."""
    limits = np.array(
        [
            [-np.inf, np.inf],
            [-3.07, -0.07],
            [-7, 7],
            [2.5, 9.0],
            [-9, -2.2],
            [-np.inf, -3],
            [0, 0.04],
            [1, 1.05],
        ]
    )
    free = generators.generate("joints:RRRRRRPP")
    u = generators.motion(free, 3)[0] / [2, 2, 2, 2, 2, 2, 0.1, 0.1]
    q = generators.motion(replace(free, limits=limits), 3)[0]
    between = [(-2, 2), (-2, -0.07), (-2, 2), (2.5, 6.5), (-6.2, -2.2), (-7, -3), (0, 0.04), (1, 1.05)]
    expected = [(low + high) / 2 + (high - low) / 2 * x for (low, high), x in zip(between, u, strict=True)]
    np.testing.assert_allclose(q, expected, rtol=1e-14)
    np.testing.assert_array_equal(q[[0, 2]], generators.motion(free, 3)[0][[0, 2]])


def test_the_panda_is_drawn_where_it_can_stand():
    chain = urdf.read(DATA / "panda_description/urdf/panda.urdf", "panda_hand_tcp")
    np.testing.assert_array_equal(chain.limits[3], [-3.0718, -0.0698])
    for seed in range(20):
        assert -3.0718 <= generators.motion(chain, seed)[0][3] <= -0.0698
