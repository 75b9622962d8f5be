"""What Keras 2 calls fit, evaluate and predict where generators give the batches; single steps.

The methods that do it are in trainer.py; they take generators, too.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.core.errors import InvalidArgumentError


class OfGenerators:
    """Keras 2's names of a model's methods; batches are made where they are used."""

    fit: Any
    evaluate: Any
    predict: Any

    def traced_step(self, name: str, is_spread: bool = False) -> Any:
        raise NotImplementedError("a model says what a step is")

    def make_train_function(self, force: bool = False) -> Any:
        """Return a function that trains by a batch, traced; force has no effect."""
        return self.traced_step("train")

    def make_test_function(self, force: bool = False) -> Any:
        """Return a function that evaluates a batch, traced; force has no effect."""
        return self.traced_step("test")

    def make_predict_function(self, force: bool = False) -> Any:
        """Return a function that predicts from a batch, traced; force has no effect."""
        return self.traced_step("predict")

    def fit_generator(
        self,
        generator: Any,
        steps_per_epoch: int | None = None,
        epochs: int = 1,
        verbose: Any = 1,
        callbacks: Any = None,
        validation_data: Any = None,
        validation_steps: int | None = None,
        validation_freq: int = 1,
        class_weight: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        shuffle: bool = True,
        initial_epoch: int = 0,
    ) -> Any:
        """Train by batches of a generator, as `fit` does.

        InvalidArgumentError is raised in version 1 where nothing says how many batches an epoch
        has: neither steps_per_epoch nor a length. max_queue_size, workers and
        use_multiprocessing have no effect.
        """
        _check_ends(generator, steps_per_epoch, "steps_per_epoch")
        return self.fit(
            generator,
            steps_per_epoch=steps_per_epoch,
            epochs=epochs,
            verbose=verbose,
            callbacks=callbacks,
            validation_data=validation_data,
            validation_steps=validation_steps,
            validation_freq=validation_freq,
            class_weight=class_weight,
            shuffle=shuffle,
            initial_epoch=initial_epoch,
        )

    def evaluate_generator(
        self,
        generator: Any,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        verbose: Any = 0,
    ) -> Any:
        """Return loss and metrics over batches of a generator, as `evaluate` does.

        max_queue_size, workers and use_multiprocessing have no effect.
        """
        _check_ends(generator, steps, "steps")
        return self.evaluate(
            generator, verbose=verbose, steps=steps, callbacks=callbacks
        )

    def predict_generator(
        self,
        generator: Any,
        steps: int | None = None,
        callbacks: Any = None,
        max_queue_size: int = 10,
        workers: int = 1,
        use_multiprocessing: bool = False,
        verbose: Any = 0,
    ) -> Any:
        """Return predictions for batches of a generator, as `predict` does.

        max_queue_size, workers, use_multiprocessing and verbose have no effect.
        """
        _check_ends(generator, steps, "steps")
        return self.predict(
            generator, verbose=verbose, steps=steps, callbacks=callbacks
        )


def _check_ends(batches: Any, steps: int | None, argument: str) -> None:
    """Raise InvalidArgumentError where version 1 asks how many batches of a generator to take."""
    if steps is not None or naming.is_keras_3():
        return
    if hasattr(batches, "__next__") and not hasattr(batches, "__len__"):
        raise InvalidArgumentError(
            f"Please specify the number of steps via the `{argument}` argument: a generator "
            "does not say where it ends"
        )
