"""The record of a run, and everything that is a pure function of it.

`record`: four tables of whole cycles, and the values that small runs keep. `run`: the record with its
description and answers; `folder`: the files it is kept in. `analysis`: numbers from a trace. `facts`: what is
told of a run. `explained`, `pictures`, `report`, `notebook`, `exports`: sentences, axes, a page, HTML, and
files for other tools. `replay`: the machine at a cycle. `errors`: the one error for what a user gave.

Nothing here knows an algorithm, a machine or a robot: a run's description is only printed.
"""
