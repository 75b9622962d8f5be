"""Small programs, and the names that TensorFlow 1.15 gives to what they make."""
