"""Motion over time: forward dynamics integrated, every evaluation a run of the program."""

from senn.experiments.motion.conduct import Motion as Motion
from senn.experiments.motion.conduct import read as read
from senn.experiments.motion.conduct import simulate as simulate
from senn.experiments.motion.control_loop import control as control
from senn.experiments.motion.pictures import ANIMATION as ANIMATION
from senn.experiments.motion.pictures import animation as animation
from senn.experiments.motion.pictures import draw as draw
