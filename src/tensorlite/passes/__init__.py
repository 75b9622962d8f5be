"""Graph to graph: simplify, fold, prune, lower, verify. Imports core, graph and ops."""
