"""URDF: the XML as a tree of checked links and joints, and from it a chain with its branches."""

from senn.algorithms.robots.urdf.reader import candidates, read

__all__ = ["candidates", "read"]
