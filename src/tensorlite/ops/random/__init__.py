"""Random numbers: generators, distributions, and how they are drawn."""
