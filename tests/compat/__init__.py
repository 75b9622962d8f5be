"""Programs with TensorFlow's own names."""
