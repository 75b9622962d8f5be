"""Chances of an event or of classes, given as they are or by logarithms: odds and shares."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import elementwise, nn as shared_nn
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import as_parameter
from tensorlite.compat.v1.contrib.distribution_kinds.validating import probabilities
from tensorlite.compat.v1.functions import nn_functions
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope


def one_of(logits: Any, probs: Any) -> None:
    """Check that one of both is given."""
    if (logits is None) == (probs is None):
        raise InvalidArgumentError("Must pass probs or logits, but not both.")


def logits_and_probs(
    logits: Any,
    probs: Any,
    name: str = "get_logits_and_probs",
    validate_args: bool = False,
    of_classes: bool = False,
) -> tuple[Any, Any]:
    """Return logarithms of odds, or of shares of classes on the last axis, and chances."""
    one_of(logits, probs)
    with name_scope(name):
        if probs is None:
            own = as_parameter(logits, "logits")
            chances = nn_functions.softmax if of_classes else shared_nn.sigmoid
            return own, chances(own, name="probs")
        found = probabilities(validate_args, as_parameter(probs, "probs"), of_classes)
        with name_scope("logits"):
            logs = elementwise.log(found)
            if of_classes:
                return logs, found
            return logs - elementwise.log1p(-1.0 * found), found
