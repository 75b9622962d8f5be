"""tf.keras.utils of version 1: names that version 2 has not, and the rest of it."""

from __future__ import annotations

from tensorlite.compat.missing import listing
from tensorlite.compat.v1.keras.fallback import rest_of
from tensorlite.compat.v1.keras.random_tests import (
    DeterministicRandomTestTool as DeterministicRandomTestTool,
)
from tensorlite.compat.v1.keras.tracked_variables import (
    get_or_create_layer as get_or_create_layer,
    track_tf1_style_variables as track_tf1_style_variables,
)
from tensorlite.compat.v2.keras import utils
from tensorlite.compat.v2.keras.src.callbacks.older_lines import OlderBar
from tensorlite.compat.v2.keras.src.trainers.enqueuing import (
    GeneratorEnqueuer as GeneratorEnqueuer,
    OrderedEnqueuer as OrderedEnqueuer,
    SequenceEnqueuer as SequenceEnqueuer,
)

Progbar = OlderBar

__dir__ = listing(__name__, globals(), vars(utils))
__getattr__ = rest_of(utils, __name__, globals())
