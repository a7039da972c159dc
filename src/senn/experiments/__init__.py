"""Experiments with the machine; `measuring` runs it, timing only, for the others.

`calibration`: the times of this computer. `claims`: what the paper says, tried. `crossovers`: from how many
joints on it pays. `overview`: what every algorithm costs. `studies`: grids of runs as one table.
"""
