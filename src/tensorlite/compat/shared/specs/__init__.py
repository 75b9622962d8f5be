"""What is known of values before they are there."""
