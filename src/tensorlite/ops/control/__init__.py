"""Branches, loops and calls: their gradients, their primitives, the lists that loops fill."""
