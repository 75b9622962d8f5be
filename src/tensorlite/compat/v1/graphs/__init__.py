"""Graphs, their elements, variables and files, as TensorFlow 1's programs have them."""
