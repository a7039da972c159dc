"""The best serial algorithms we know, in scalars: for counting operations, and checked to be right.

The matrices of `senn.algorithms.references` are easy to read and waste operations. Here every multiplication
and addition is written out, so that running on counting scalars gives what a careful programmer would pay on
one node: planar rotations by the two screws of a link's Denavit-Hartenberg parameters, symmetric matrices by
halves, zeros left out. Any arm of revolute joints has such frames (x along the common normal of two axes).
"""
