"""What a run leaves behind: the record, and everything that is a pure function of it."""
