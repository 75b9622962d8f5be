"""Gradients of primitives of control flow, as TensorFlow 1 writes them into graphs."""
