"""Search for better allocations, and lower bounds of what can be found."""
