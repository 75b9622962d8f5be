"""slim.evaluation: its names; evaluation.py has what they do."""

from tensorlite.compat.v1.contrib.evaluation import (
    checkpoints_iterator,
    evaluate_once,
    evaluation_loop,
    wait_for_new_checkpoint,
)

__all__ = [
    "checkpoints_iterator",
    "evaluate_once",
    "evaluation_loop",
    "wait_for_new_checkpoint",
]
