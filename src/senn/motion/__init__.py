"""Motion over time: forward dynamics integrated, every evaluation a run of the program."""

from senn.motion.conduct import Motion as Motion
from senn.motion.conduct import read as read
from senn.motion.conduct import simulate as simulate
from senn.motion.pictures import ANIMATION as ANIMATION
from senn.motion.pictures import animation as animation
from senn.motion.pictures import draw as draw
