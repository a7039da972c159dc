"""What a run leaves behind: the record, and everything that is a pure function of it.

`record`: four tables of whole cycles, and the values that small runs keep. `run`: that with what ran and the
numbers it gave; `folder`, `json_text`: where it is kept. `analysis`: numbers from a trace. `replay`: the
machine at a cycle. `pictures`: axes from what analyses return. `naming`: how places are called. `errors`:
the one error for what a user gave.

Nothing here knows an algorithm, a machine or a robot: a run's description is only printed.
"""
