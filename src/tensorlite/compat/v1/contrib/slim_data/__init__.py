"""slim's data: records of files, what they are decoded to, and queues of that."""
