"""What networks are made of: activations, convolutions, pooling, cells, losses, updates."""
