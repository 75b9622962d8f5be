"""The tests of tensorlite."""
