"""Making tensors, and where their elements stand: shapes, joins, indices, order, sets."""
