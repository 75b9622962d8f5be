"""Tables of keys and values, and columns of features."""
