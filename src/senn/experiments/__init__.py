"""What the machine is tried with: `measuring` runs it once, timing only, for all the others.

`claims`: what the paper says, tried. `crossovers`: from how many joints on it pays. `overview`: what every
algorithm costs. `studies`: grids of runs as one table.
"""
