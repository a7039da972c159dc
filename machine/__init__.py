"""The machine, which knows no robot: a program is placed on it and run, and every cycle is accounted for.

Each package uses only those before it: `program` (the instruction set), `network` (channels and routes),
`model` (the machine and its timing; `presets`), `placing` (a program becomes a schedule), `durations` (of its
tasks and messages), `engines` (a schedule becomes a run), `invariants` (checks of any run), `retiming`,
`search`."""
