"""What programs need that build graphs by hand, as TensorFlow 1's do.

That is a default graph, names that variables are saved by, collections, and variables that sessions
hold. The names by which such programs call these stand in compat/v1.
"""
