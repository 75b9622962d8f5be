"""Programs of TensorFlow 1 that return what they find, and by which names.

`record.py` beside this folder runs them under TensorFlow itself, and keeps that in `recorded`.
"""
