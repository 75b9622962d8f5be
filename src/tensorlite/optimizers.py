"""`tl.optimizers`: optimizers, schedules, averages. Names only; the code is in train/."""

from __future__ import annotations

from tensorlite.train import schedules
from tensorlite.train.averages import ExponentialMovingAverage
from tensorlite.train.lbfgs import LBFGS
from tensorlite.train.optimizers import (
    SGD,
    Adadelta,
    Adagrad,
    Adam,
    AdamW,
    Optimizer,
    RMSProp,
)
from tensorlite.train.regularised_optimizers import (
    AdagradDA,
    Ftrl,
    ProximalAdagrad,
    ProximalSGD,
)

__all__ = [
    "Adadelta",
    "Adagrad",
    "AdagradDA",
    "Adam",
    "AdamW",
    "ExponentialMovingAverage",
    "Ftrl",
    "LBFGS",
    "Optimizer",
    "ProximalAdagrad",
    "ProximalSGD",
    "RMSProp",
    "SGD",
    "schedules",
]


def __dir__() -> list[str]:
    return __all__
