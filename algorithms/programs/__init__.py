"""The algorithms of the papers, written once for a symbolic process; they know no node and no cycle."""
