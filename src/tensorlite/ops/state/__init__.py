"""What lasts from step to step: variables, tables, kept values."""
