"""What a program has to know of an arm: the shapes of its joints and what hangs beside the chain; no
numbers."""
