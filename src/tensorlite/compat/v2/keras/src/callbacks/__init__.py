"""What is called as training goes on."""
