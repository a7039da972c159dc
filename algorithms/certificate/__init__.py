"""The certificate: right digits of every answer of a run, counted against a refined solution."""
