"""What a notebook shows of values, and those that are there to be shown."""
