"""Files of tensors and of records: checkpoints, Examples, TFRecords, lines of text."""
