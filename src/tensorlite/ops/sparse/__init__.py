"""Sparse tensors, sparse gradients, and rows of variables."""
