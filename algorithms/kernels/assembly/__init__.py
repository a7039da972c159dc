"""Kernels of divide and conquer (Featherstone 1999): two articulated bodies joined by a joint of any type.

A body with two handles, at rest: a_1 = Phi_1 f_1 + Phi_12 f_2 + b_1 and a_2 = Phi_12' f_1 + Phi_2 f_2 + b_2,
Phi_1 and Phi_2 packed. The handles' frames are those of the joints there, so that nothing is turned. At the
joint H_i spans k of the six directions and W_i the other 6 - k; *joint order* is those of W_i first, those of
H_i last. They are rows of the unit matrix; universal and helical joints, whose W_i mixes two rows, have their
handles brought to such axes first (`handles`).

In joint order Y = Phi_1 + Phi_2 of the two handles that meet is eliminated as far as W_i: its LDL' factor
stops after 6 - k pivots, and what is left is the Schur complement, (H' Y^-1 H)^-1. With that factor a joint
is solved for what is not given: the force along W_i and the acceleration along H_i, from the acceleration
along W_i and the force (the torque) along H_i.

`order`: which rows these are. `inertias`: Step I. `forces`: Steps II to IV. `handles`: links of wide arms.
Kernels know the type of their joint and, in wide arms, `freedom`: how many words a joint's torque has there,
zeros behind its own; None says that it is one number, as in arms of revolute and prismatic joints.
"""
