"""Keras' layers, and what all layers have in common."""
