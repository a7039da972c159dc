"""Kernels of side branches, folded into the process of the link that they hang on (Fijany-Featherstone
2013)."""
