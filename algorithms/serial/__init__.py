"""Serial references: Newton-Euler, dense (Fijany Table I), articulated bodies, and Fijany Section V."""
