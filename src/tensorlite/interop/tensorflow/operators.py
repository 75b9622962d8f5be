"""What each of TensorFlow's operators becomes: one table, from names to adapters."""

from __future__ import annotations

from tensorlite.interop.tensorflow.banding import BANDING
from tensorlite.interop.tensorflow.calling import CALLS
from tensorlite.interop.tensorflow.chances import CHANCES
from tensorlite.interop.tensorflow.composing import COMPOSED
from tensorlite.interop.tensorflow.containers import CONTAINERS
from tensorlite.interop.tensorflow.datasets import DATASETS
from tensorlite.interop.tensorflow.filing import FILING
from tensorlite.interop.tensorflow.fractional import FRACTIONAL
from tensorlite.interop.tensorflow.further import FURTHER
from tensorlite.interop.tensorflow.fused import FUSED
from tensorlite.interop.tensorflow.imaging import IMAGING
from tensorlite.interop.tensorflow.listing import LISTING
from tensorlite.interop.tensorflow.matching import MATCHING
from tensorlite.interop.tensorflow.newer import NEWER
from tensorlite.interop.tensorflow.older import OLDER
from tensorlite.interop.tensorflow.parsing import PARSED
from tensorlite.interop.tensorflow.picturing import PICTURING
from tensorlite.interop.tensorflow.plain import PLAIN, Adapter
from tensorlite.interop.tensorflow.putting_aside import STAGING
from tensorlite.interop.tensorflow.python_calls import PYTHON
from tensorlite.interop.tensorflow.quantised import QUANTISED
from tensorlite.interop.tensorflow.quantised_layers import QUANTISED_LAYERS
from tensorlite.interop.tensorflow.ragged import RAGGED
from tensorlite.interop.tensorflow.reporting import SUMMARIES
from tensorlite.interop.tensorflow.rewritten import REWRITTEN
from tensorlite.interop.tensorflow.scattering import SCATTERING
from tensorlite.interop.tensorflow.sequence_parsing import SEQUENCES
from tensorlite.interop.tensorflow.spectra import SPECTRA
from tensorlite.interop.tensorflow.stored.adapters import STORED
from tensorlite.interop.tensorflow.tallying import TALLYING
from tensorlite.interop.tensorflow.variables import VARIABLES
from tensorlite.interop.tensorflow.wording import WORDING

ADAPTERS: dict[str, Adapter] = {
    **PLAIN,
    **COMPOSED,
    **BANDING,
    **CHANCES,
    **IMAGING,
    **MATCHING,
    **NEWER,
    **OLDER,
    **PICTURING,
    **QUANTISED,
    **QUANTISED_LAYERS,
    **RAGGED,
    **REWRITTEN,
    **SCATTERING,
    **SPECTRA,
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
    **LISTING,
    **FURTHER,
    **FUSED,
    **WORDING,
}


def adapter_of(name: str) -> Adapter | None:
    """Return what reads an operator, None for one that is not there."""
    return ADAPTERS.get(name)
