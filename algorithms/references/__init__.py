"""Serial references: dense (Fijany Table I), articulated bodies, and the constraint force algorithm (Section
V)."""
