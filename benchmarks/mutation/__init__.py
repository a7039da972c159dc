"""What `benchmarks/mutants.py` is made of: changes of sources, problems, and processes to run them in."""
