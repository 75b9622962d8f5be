"""The cells of tf.contrib.rnn."""
