"""The serial family of Jain's unified formulation: a page per algorithm, all on one description of an arm.

Every page has `solve(problem)`, the answers under their standard names, and `operations(n)`, what it costs
for n revolute joints and the open chain; `senn.algorithms.family.pages` lists them. They are written to be
read and compared; `senn.algorithms.references` has the references of the certificate.
"""
