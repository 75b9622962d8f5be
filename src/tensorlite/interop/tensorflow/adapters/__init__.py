"""What each of TensorFlow's operators becomes as a graph is read, by topic."""
