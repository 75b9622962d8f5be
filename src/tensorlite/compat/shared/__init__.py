"""What TensorFlow 1's and 2's names have in common, by topic."""
