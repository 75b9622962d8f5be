"""Descriptions of Keras' objects, and the files that hold them."""
