"""The distributions of tf.contrib.distributions, and what they are made on."""
