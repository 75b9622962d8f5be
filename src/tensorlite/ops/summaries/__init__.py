"""What TensorBoard shows, as operators."""
