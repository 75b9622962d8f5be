"""What TensorBoard shows: event files, writers, summaries, graphs as pages, embeddings.

Operators stand in ops/summaries/writing.py; what users call is gathered in tensorlite/summary.py.
"""
