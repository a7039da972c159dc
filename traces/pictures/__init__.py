"""Pictures of runs: each takes axes or makes its own, and shows only what analyses return.

`kinds`: the pictures of one run by name. `phases`, `timeline`: a run in large and in full; `rows`: where its
nodes stand there. `plots`: what a run hid, and a law over sizes. `views`: one side of a run each. `places`:
allocations. `search`: a search for one. `bars_and_lines`: many runs; `series`: which of them belong together.
`drawing`: what all share, in the one voice of `style`. matplotlib is loaded by the picture that is wanted.
"""
