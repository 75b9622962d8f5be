"""How bytes go between tasks: messages, links, the data plane of a task, who may link with whom."""
