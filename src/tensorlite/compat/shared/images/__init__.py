"""Images, as both versions have them alike."""
