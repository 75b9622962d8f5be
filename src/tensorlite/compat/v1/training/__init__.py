"""What tf.train gathers: optimizers, schedules, savers, monitored sessions."""
