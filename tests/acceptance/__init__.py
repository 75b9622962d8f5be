"""Each file proves one point of what the library must show, by running it as a user would."""
