"""The metrics of tf.metrics, and what they have in common."""
