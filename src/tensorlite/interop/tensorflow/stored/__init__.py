"""What TensorFlow keeps in files: checkpoints, old and new, and what they are made of.

Nothing of it needs TensorFlow, and only files of the first version need its messages.
"""
