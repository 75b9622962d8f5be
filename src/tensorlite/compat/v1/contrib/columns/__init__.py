"""Feature columns of tf.contrib.layers: what they are, and what models make of them."""
