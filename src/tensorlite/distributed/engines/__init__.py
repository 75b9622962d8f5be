"""Who starts, watches and restarts tasks: Ray, or this process in virtual time."""
