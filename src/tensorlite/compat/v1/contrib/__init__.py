"""tf.contrib of TensorFlow 1: the parts of it that programs use most."""
