"""Programs as data: graphs, tracing, the tape and the one reverse sweep. Imports core only."""
