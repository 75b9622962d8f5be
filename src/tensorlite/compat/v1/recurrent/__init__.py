"""Recurrent networks of TensorFlow 1: cells, loops, attention, decoders."""
