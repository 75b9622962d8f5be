"""TensorFlow's own names: `import tensorlite.compat.v1 as tf`, or `v2`, and its programs run.

Names and argument orders only: what does the work lies in the layers below.
"""
