"""Clusters: steps, strategies and training over many tasks. Imports everything below it.

Nothing but `tensorlite.distribute`, which has the public names, imports it.
"""
