"""Clusters: what travels between tasks. Imports everything below; nothing imports it."""
