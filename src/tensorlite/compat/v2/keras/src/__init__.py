"""What Keras' namespaces gather, by topic, as Keras has its own sources."""
