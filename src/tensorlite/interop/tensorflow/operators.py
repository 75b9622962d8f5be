"""What each of TensorFlow's operators becomes: one table, from names to adapters."""

from __future__ import annotations

from tensorlite.interop.tensorflow.adapters.backward import BACKWARD
from tensorlite.interop.tensorflow.adapters.banding import BANDING
from tensorlite.interop.tensorflow.adapters.calling import CALLS
from tensorlite.interop.tensorflow.adapters.chances import CHANCES
from tensorlite.interop.tensorflow.adapters.composing import COMPOSED
from tensorlite.interop.tensorflow.adapters.containers import CONTAINERS
from tensorlite.interop.tensorflow.adapters.datasets import DATASETS
from tensorlite.interop.tensorflow.adapters.filing import FILING
from tensorlite.interop.tensorflow.adapters.fractional import FRACTIONAL
from tensorlite.interop.tensorflow.adapters.further import FURTHER
from tensorlite.interop.tensorflow.adapters.further_datasets import FURTHER_DATASETS
from tensorlite.interop.tensorflow.adapters.fused import FUSED
from tensorlite.interop.tensorflow.adapters.imaging import IMAGING
from tensorlite.interop.tensorflow.adapters.listing import LISTING
from tensorlite.interop.tensorflow.adapters.matching import MATCHING
from tensorlite.interop.tensorflow.adapters.newer import NEWER
from tensorlite.interop.tensorflow.adapters.older import OLDER
from tensorlite.interop.tensorflow.adapters.parsing import PARSED
from tensorlite.interop.tensorflow.adapters.passing import PASSING
from tensorlite.interop.tensorflow.adapters.picturing import PICTURING
from tensorlite.interop.tensorflow.adapters.plain import PLAIN, Adapter
from tensorlite.interop.tensorflow.adapters.putting_aside import STAGING
from tensorlite.interop.tensorflow.adapters.quantised import QUANTISED
from tensorlite.interop.tensorflow.adapters.quantised_layers import QUANTISED_LAYERS
from tensorlite.interop.tensorflow.adapters.ragged import RAGGED
from tensorlite.interop.tensorflow.adapters.rare_datasets import RARE_DATASETS
from tensorlite.interop.tensorflow.adapters.reporting import SUMMARIES
from tensorlite.interop.tensorflow.adapters.rewritten import REWRITTEN
from tensorlite.interop.tensorflow.adapters.scattering import SCATTERING
from tensorlite.interop.tensorflow.adapters.sequence_parsing import SEQUENCES
from tensorlite.interop.tensorflow.adapters.spectra import SPECTRA
from tensorlite.interop.tensorflow.adapters.tallying import TALLYING
from tensorlite.interop.tensorflow.adapters.trees import TREES
from tensorlite.interop.tensorflow.adapters.uniform import UNIFORM
from tensorlite.interop.tensorflow.adapters.variables import VARIABLES
from tensorlite.interop.tensorflow.adapters.wording import WORDING
from tensorlite.interop.tensorflow.python_calls import PYTHON
from tensorlite.interop.tensorflow.stored.adapters import STORED

ADAPTERS: dict[str, Adapter] = {
    **PLAIN,
    **COMPOSED,
    **BACKWARD,
    **BANDING,
    **CHANCES,
    **IMAGING,
    **MATCHING,
    **NEWER,
    **OLDER,
    **PASSING,
    **PICTURING,
    **QUANTISED,
    **QUANTISED_LAYERS,
    **RAGGED,
    **REWRITTEN,
    **SCATTERING,
    **SPECTRA,
    **UNIFORM,
    **VARIABLES,
    **CONTAINERS,
    **DATASETS,
    **PARSED,
    **SEQUENCES,
    **FILING,
    **FRACTIONAL,
    **STAGING,
    **CALLS,
    **PYTHON,
    **STORED,
    **SUMMARIES,
    **TALLYING,
    **TREES,
    **LISTING,
    **FURTHER,
    **FURTHER_DATASETS,
    **RARE_DATASETS,
    **FUSED,
    **WORDING,
}


def adapter_of(name: str) -> Adapter | None:
    """Return what reads an operator, None for one that is not there."""
    return ADAPTERS.get(name)
