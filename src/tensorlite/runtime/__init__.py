"""Plans to arrays: memory and runners. Names no operator; imports core and graph."""
