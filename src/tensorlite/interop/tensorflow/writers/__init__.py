"""How graphs are put into TensorFlow's words as they are written."""
