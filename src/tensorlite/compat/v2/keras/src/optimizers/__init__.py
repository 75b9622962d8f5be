"""Optimizers of Keras, and how they update weights."""
