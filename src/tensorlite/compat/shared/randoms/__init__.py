"""Random numbers, as both versions draw them alike."""
