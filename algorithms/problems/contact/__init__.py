"""The contact of the end effector with the environment (Fijany III): kinds, checks, files, force."""
