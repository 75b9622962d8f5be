"""compile, fit, evaluate and predict, and the batches that they take."""
