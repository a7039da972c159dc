"""Programs that divide an arm between nodes, each of which solves its links serially."""
