"""What a program has to know of an arm, and the operators of the paper for it.

`letters`: the nomenclature, every value once. `arm`: what all arms have. `lean`, `wide`, `branched`: the arms
there are. `arm_of` chooses among them. `branch_values`: what processes hold of side branches.
"""

from senn.algorithms.arm.arm import Arm
from senn.algorithms.arm.choice import arm_of

__all__ = ["Arm", "arm_of"]
