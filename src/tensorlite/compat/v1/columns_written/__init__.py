"""Columns of tf.feature_column as TensorFlow 1 writes them into graphs, node by node.

Columns themselves, and what is computed of them at once, are train/feature_columns.
"""
