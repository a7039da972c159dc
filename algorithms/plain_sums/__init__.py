"""A second reading of the problem, and plain sums over its links: a reference of the certificate.

The package shares nothing with the programs, the serial solvers and the readers but the numbers that were
written: the text of a robot's file, the words of a generator, the state and the contact as they were given.
It imports NumPy and nothing of this project (`tests/algorithms/plain_sums/test_apart.py` holds it), so that a
fault in code that the others share does not hide here too.

Everything is in axes of the base, from link to link outward, and from the tip inward: no six-vectors, no
frames of the paper but where an answer is counted in one. `links`: an arm, link by link, its
rotations and joints. `motion`: the arm at a state, torques, M and J. `response`: M^-1 times torques,
and arms that know all that. `second_reading`: arms and states from the texts they were read from.
`judged`: the contact, the answers, and how far others are from them.
"""
