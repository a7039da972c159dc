"""The programs: what the papers say, written once for a symbolic process; they know no node and no cycle."""
