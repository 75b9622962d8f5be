"""The layers of tf.layers, and what they are made on."""
