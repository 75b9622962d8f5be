"""Datasets, and the files that they read."""
