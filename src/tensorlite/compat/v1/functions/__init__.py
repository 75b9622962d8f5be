"""Functions of tensors with TensorFlow 1's arguments, or by its nodes."""
