"""LoRA: a layer's large weight stays as it is, and a product of two small ones is added to it.

Hu et al. 2021. Layers that can do so have their large weight as an `Adapted` attribute.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl
from tensorlite.compat.v2.keras import initializers
from tensorlite.compat.v2.keras.src.layers import naming, own_variables
from tensorlite.compat.v2.keras.src.layers.base import Layer
from tensorlite.core.dtypes import as_dtype, float32
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.arrays.shape import astype


class Adapted:
    """The attribute of a layer's large weight, read with what was learned beside it."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, layer: Any, kind: Any = None) -> Any:
        if layer is None:
            return self
        held = vars(layer).get(f"_{self._name}")
        if held is None:
            raise AttributeError(
                f"{type(layer).__name__!r} object has no attribute {self._name!r}: it is made when "
                "the layer is built"
            )
        return layer.with_learned(held) if layer.lora_enabled else held

    def __set__(self, layer: Any, value: Any) -> None:
        setattr(layer, f"_{self._name}", value)


class LowRank(Layer):
    """A layer whose large weight two small ones can be trained for."""

    adapted = "kernel"
    """The name of the large weight."""
    lora_enabled = False
    lora_rank: int | None = None
    lora_alpha: float | None = None

    def ask_for_lora(self, rank: int | None, alpha: float | None) -> None:
        """Let the two weights be made as soon as the layer is built, unless rank is None."""
        self.lora_rank, self.lora_alpha = rank, alpha

    def note_built(self) -> None:
        if self.lora_rank and not self.lora_enabled:
            self.enable_lora(self.lora_rank, lora_alpha=self.lora_alpha)

    def enable_lora(
        self,
        rank: int,
        a_initializer: Any = "he_uniform",
        b_initializer: Any = "zeros",
        lora_alpha: float | None = None,
    ) -> None:
        """Stop training the large weight, and train two of a rank in its place.

        Their product times lora_alpha / rank is added to it; lora_alpha is the rank if None.
        """
        self._check_lora()
        large: Any = vars(self)[f"_{self.adapted}"]
        term = getattr(self, f"{self.adapted}_regularizer", None)
        *before, last = (int(size) for size in large.shape)
        for letter, shape, first in (
            ("a", (*before, rank), a_initializer),
            ("b", (rank, last), b_initializer),
        ):
            name = f"lora_{self.adapted}_{letter}"
            with naming.inside(self.path):
                made = self.add_weight(
                    name,
                    shape,
                    initializer=initializers.get(first),
                    dtype="float32",
                    regularizer=term,
                )
            setattr(self, name, made)
        large.trainable = False
        self.lora_enabled, self.lora_rank = True, rank
        self.lora_alpha = rank if lora_alpha is None else lora_alpha

    def _check_lora(self) -> None:
        if getattr(self, f"{self.adapted}_constraint", None) is not None:
            raise InvalidArgumentError(
                f"Lora is incompatible with {self.adapted} constraints. In order to enable lora on "
                f"this layer, remove the `{self.adapted}_constraint` argument."
            )
        if not self.built:
            raise InvalidArgumentError(
                "Cannot enable lora on a layer that isn't yet built."
            )
        if self.lora_enabled:
            raise InvalidArgumentError(
                "lora is already enabled. This can only be done once per layer."
            )

    @property
    def lora_scale(self) -> float:
        """What the product of the two small weights is multiplied by."""
        return float(self.lora_alpha or 0) / float(self.lora_rank or 1)

    def small(self) -> tuple[Any, Any]:
        """Return the two small weights."""
        name = f"lora_{self.adapted}_"
        return getattr(self, f"{name}a"), getattr(self, f"{name}b")

    def with_learned(self, large: Any) -> Any:
        """Return a large weight with what was learned beside it."""
        a, b = self.small()
        learned = astype(tl.matmul(a, b), float32) * self.lora_scale
        return large + astype(learned, as_dtype(large.dtype))

    def members(self) -> dict[str, Any]:
        found = super().members()
        large = found.pop(f"_{self.adapted}", None)
        return found if large is None else {**found, self.adapted: large}

    def _stored(self) -> list[Any]:
        """Return the weights that files have: all but the two small ones."""
        small = {id(x) for x in self.small()} if self.lora_enabled else set()
        return self.in_order([x for x in self.own_weights() if id(x) not in small])

    def save_own_variables(self, store: Any) -> None:
        large = vars(self).get(f"_{self.adapted}")
        for i, weight in enumerate(self._stored()):
            whole = getattr(self, self.adapted) if weight is large else weight
            store[str(i)] = np.asarray(whole.numpy())

    def load_own_variables(self, store: Any) -> None:
        own_variables.taken(store, self._stored(), f"Layer '{self.name}'")
        for small in self.small() if self.lora_enabled else ():
            small.assign(tl.zeros_like(small))

    def get_config(self) -> dict[str, Any]:
        own = super().get_config()
        for name in ("lora_rank", "lora_alpha"):
            if own.get(name) is None:
                own.pop(name, None)
        return own
