"""What a training script needs: modules, layers, optimizers, schedules, checkpoints."""
