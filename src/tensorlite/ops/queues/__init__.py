"""What waits: queues, barriers, locks, accumulators."""
