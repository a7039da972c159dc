"""URDF: the XML as a tree of checked links and joints, and from it a chain with its branches."""
