"""What is not the same in two traces, and by how much."""
