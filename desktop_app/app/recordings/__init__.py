"""The recordings, the queue and their states."""
