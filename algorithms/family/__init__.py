"""The serial family of Jain's unified formulation: a page per algorithm, all on one description of an arm.

`senn.algorithms.family.pages` lists them. Every page has `solve(problem)`, its answers under their standard
names, and `operations(n)`, its cost for n revolute joints. Pages are written to be read and compared;
`senn.algorithms.references` has the references of the certificate.
"""
