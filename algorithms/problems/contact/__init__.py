"""The contact of the end effector with the environment (Fijany III).

`shape`: its structure, all that a program knows of it. `contact`: the value. `kinds`: what makes one of each
kind, with `checks`. `files`: the table of a problem file. `state`: what a contact leaves to the state of the
arm. `force`: the contact force, how well it is determined, and how well the contact is obeyed.
"""
