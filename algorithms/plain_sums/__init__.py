"""A second reading of the problem, and plain sums over its links: what the certificate is held against.

It shares nothing with the programs, the serial solvers and the readers but the numbers that were written: the
text of a robot's file, the words of a generator, the state and the contact as they were given. It imports
NumPy and nothing of this project (`tests/algorithms/plain_sums/test_apart.py` holds it), so that a fault of
what everybody else shares does not hide here too.

Everything is in axes of the base, from link to link outward, and from the tip inward: no six-vectors, no
frames of the paper but where an answer is counted in one. `written`: what was read. `turns`: rotations.
`links`: an arm, link by link. `readings`: arms from what was written. `joints`: how each type moves.
`motion`: the arm at a state. `sums`: torques, M and J. `model`: both as one value. `contact`: what a contact
says. `solved`: the answers. `judged`: how far others are from them.
"""
