"""Queues, readers and batches of TensorFlow 1."""
