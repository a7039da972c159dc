"""Lambda^-1 and Lambda at the end effector: a page per algorithm."""
