"""Images and texts in batches, from arrays, folders and files that are fetched."""
