"""`tl.optimizers`: optimizers, schedules, averages. Names only; the code is in train/."""

from __future__ import annotations

from tensorlite.train import schedules
from tensorlite.train.averages import ExponentialMovingAverage
from tensorlite.train.lbfgs import LBFGS
from tensorlite.train.optimizers import (
    SGD,
    Adadelta,
    Adagrad,
    AdagradDA,
    Adam,
    AdamW,
    Ftrl,
    Optimizer,
    ProximalAdagrad,
    ProximalSGD,
    RMSProp,
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
