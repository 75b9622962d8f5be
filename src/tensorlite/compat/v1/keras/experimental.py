"""tf.keras.experimental of version 1: gathers its names; SavedModels that become models again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.keras.cells_written import Gate
from tensorlite.compat.v1.keras.decaying import (
    LinearCosineDecay as LinearCosineDecay,
    NoisyLinearCosineDecay as NoisyLinearCosineDecay,
)
from tensorlite.compat.v1.keras.layers import LSTMCell
from tensorlite.compat.v1.keras.premade import (
    LinearModel as LinearModel,
    WideDeepModel as WideDeepModel,
)
from tensorlite.compat.v1.keras.written import activated
from tensorlite.compat.v2 import checkpoints
from tensorlite.compat.v2.keras import models
from tensorlite.compat.v2.keras.schedules import (
    CosineDecay as CosineDecay,
    CosineDecayRestarts as CosineDecayRestarts,
)
from tensorlite.compat.v2.keras.src.layers.features import (
    SequenceFeatures as SequenceFeatures,
)
from tensorlite.compat.v2.keras.src.models.in_graphs import apart
from tensorlite.compat.v2.keras.src.saving import saved_notes
from tensorlite.compat.views import shown
from tensorlite.core.errors import NotFoundError

_DESCRIPTION = Path("assets", "saved_model.json")


class PeepholeLSTMCell(LSTMCell):
    """A step of an LSTM whose gates look at what is remembered (Gers and Schmidhuber 2000)."""

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        self.peepholes = [
            self.add_weight(
                f"{gate}_gate_peephole_weights",
                (self.units,),
                initializer=self.kernel_initializer,
            )
            for gate in ("input", "forget", "output")
        ]

    def gated(self, parts: Any, c: Any) -> tuple[Any, Any]:
        """Return (what is remembered, the output's gate); gates look at c."""
        i, f, g, o = parts
        own = [x.value() for x in self.peepholes]
        gate = self.recurrent_activation
        kept = gate(f + own[1] * c) * c + gate(i + own[0] * c) * self.activation(g)
        return kept, gate(o + own[2] * kept)

    def written_gates(self, part: Gate, c: Any) -> tuple[Any, Any]:
        """Return (what is remembered, the output's gate) in graphs; gates look at c."""
        own, gate = self.peepholes, self.recurrent_activation
        taken = shown(gate(part(0) + own[0] * c))
        kept = shown(gate(part(1) + own[1] * c))
        c = kept * c + taken * activated(self, part(2))
        return c, shown(gate(part(3) + own[2] * c))


def export_saved_model(
    model: Any,
    saved_model_path: Any,
    custom_objects: Any = None,
    as_text: bool = False,
    input_signature: Any = None,
    serving_only: bool = False,
) -> None:
    """Write a model as a SavedModel that computes, and becomes a model again."""
    model.save(saved_model_path, save_format="tf")
    if model.is_made_of_layers:
        file = Path(str(saved_model_path)) / _DESCRIPTION
        file.parent.mkdir(exist_ok=True)
        file.write_text(model.to_json(), encoding="utf-8")


@apart
def load_from_saved_model(saved_model_path: Any, custom_objects: Any = None) -> Any:
    """Return the model of a SavedModel, which is not compiled."""
    folder = Path(str(saved_model_path))
    if saved_notes.read_description(folder) is not None:
        return models.load_model(folder, custom_objects, compile=False)
    file = folder / _DESCRIPTION
    if not file.is_file():
        raise NotFoundError(
            f"{folder} does not say which model it is: there is no {_DESCRIPTION} in it"
        )
    model = models.model_from_json(file.read_text(encoding="utf-8"), custom_objects)
    checkpoints.read_weights(model, str(folder / "variables" / "variables"))
    return model


def terminate_keras_multiprocessing_pools(
    grace_period: float = 0.1, use_sigkill: bool = False
) -> list[Any]:
    """Return nothing: batches are made in the program's own process."""
    return []


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, globals())
