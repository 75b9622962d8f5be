"""Input pipelines. Imports core, graph, ops and function."""
