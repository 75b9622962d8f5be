"""slim.summaries: summaries of tensors under their own names, which a prefix may stand before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorlite.compat.shared.python import Print
from tensorlite.compat.v1 import nn, summary
from tensorlite.compat.v1.graphs.scopes import add_to_collection
from tensorlite.graph_mode.keys import GraphKeys

__all__ = [
    "add_histogram_summaries",
    "add_histogram_summary",
    "add_image_summaries",
    "add_image_summary",
    "add_scalar_summaries",
    "add_scalar_summary",
    "add_zero_fraction_summaries",
    "add_zero_fraction_summary",
]


def _name(
    tensor: Any, name: str | None, prefix: str | None, postfix: str | None = None
) -> str:
    return "/".join(x for x in (prefix, name or tensor.op.name, postfix) if x)


def _made(kind: Any, tensor: Any, name: str, print_summary: bool) -> Any:
    """Return a summary that is in the collection, and printed when it is made if asked."""
    made = kind(name=name, tensor=tensor, collections=[] if print_summary else None)
    if print_summary:
        made = Print(made, [tensor], name)
        add_to_collection(GraphKeys.SUMMARIES, made)
    return made


def add_histogram_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None
) -> Any:
    """Return a summary of how a tensor's numbers are distributed."""
    return summary.histogram(_name(tensor, name, prefix), tensor)


def add_image_summary(
    tensor: Any,
    name: str | None = None,
    prefix: str | None = None,
    print_summary: bool = False,
) -> Any:
    """Return a summary of images, [batch, height, width, channels]; print_summary prints them."""
    return _made(summary.image, tensor, _name(tensor, name, prefix), print_summary)


def add_scalar_summary(
    tensor: Any,
    name: str | None = None,
    prefix: str | None = None,
    print_summary: bool = False,
) -> Any:
    """Return a summary of a number, which print_summary prints."""
    return _made(summary.scalar, tensor, _name(tensor, name, prefix), print_summary)


def add_zero_fraction_summary(
    tensor: Any,
    name: str | None = None,
    prefix: str | None = None,
    print_summary: bool = False,
) -> Any:
    """Return a summary of the share of zeros in a tensor."""
    whole = _name(tensor, name, prefix, "Fraction_of_Zero_Values")
    share = nn.zero_fraction(tensor)
    return add_scalar_summary(share, whole, print_summary=print_summary)


def add_histogram_summaries(
    tensors: Iterable[Any], prefix: str | None = None
) -> list[Any]:
    """Return a summary of each tensor's numbers."""
    return [add_histogram_summary(x, prefix=prefix) for x in tensors]


def add_image_summaries(
    tensors: Iterable[Any], prefix: str | None = None
) -> list[Any]:
    """Return a summary of each tensor's images."""
    return [add_image_summary(x, prefix=prefix) for x in tensors]


def add_scalar_summaries(
    tensors: Iterable[Any], prefix: str | None = None, print_summary: bool = False
) -> list[Any]:
    """Return a summary of each number."""
    return [
        add_scalar_summary(x, prefix=prefix, print_summary=print_summary)
        for x in tensors
    ]


def add_zero_fraction_summaries(
    tensors: Iterable[Any], prefix: str | None = None
) -> list[Any]:
    """Return a summary of each tensor's share of zeros."""
    return [add_zero_fraction_summary(x, prefix=prefix) for x in tensors]
