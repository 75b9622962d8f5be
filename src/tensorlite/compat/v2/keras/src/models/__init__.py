"""Models: layers that hang together, as graphs, tables and pictures."""
