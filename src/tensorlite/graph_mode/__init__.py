"""What programs need that build graphs by hand, as TensorFlow 1's do: a default graph, names that
variables are saved by, collections, variables that sessions hold, optimizers with slots, savers.

The names by which such programs call these stand in compat/v1.
"""
