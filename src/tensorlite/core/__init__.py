"""The vocabulary: values every other layer speaks of. Imports the standard library and NumPy."""
