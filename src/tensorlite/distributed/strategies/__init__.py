"""Strategies: how several tasks, or devices, train one model by the user's own step."""
