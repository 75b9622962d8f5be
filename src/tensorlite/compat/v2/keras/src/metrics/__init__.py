"""Metrics of Keras."""
