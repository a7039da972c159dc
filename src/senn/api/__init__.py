"""Functions of the command line: every option is an argument of the same name."""

from senn.api.arguments import sizes as sizes
from senn.api.problems import new as new
from senn.api.problems import problem as problem
from senn.api.problems import read as read
from senn.api.problems import robot as robot
from senn.api.processes import mpi as mpi
from senn.api.solving import STAGES as STAGES
from senn.api.solving import default_folder as default_folder
from senn.api.solving import open_run as open_run
from senn.api.solving import run as run
from senn.api.solving import solved as solved
from senn.api.states import batch as batch
from senn.api.timing import emptiest as emptiest
from senn.api.timing import fits as fits
from senn.api.timing import optimise as optimise
from senn.api.timing import program as program
from senn.api.timing import steps as steps
from senn.api.what_if import hiding as hiding
from senn.api.what_if import retime as retime
from senn.api.what_if import retiming as retiming
from senn.api.what_if import sensitivities as sensitivities
