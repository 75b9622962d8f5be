"""tf.distribute.experimental: strategies by their older names, and partitioners."""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v2 import partitioners as partitioners
from tensorlite.compat.v2.distribute import coordinator as coordinator
from tensorlite.compat.v2.distribute.clusters import TPUStrategy as TPUStrategy
from tensorlite.compat.v2.distribute.mirrored import (
    CentralStorageStrategy as CentralStorageStrategy,
)
from tensorlite.compat.v2.distribute.multi_worker import (
    CommunicatingStrategy as _Communicating,
)
from tensorlite.compat.v2.distribute.options import (
    CommunicationImplementation as CommunicationImplementation,
    CommunicationOptions as CommunicationOptions,
    ValueContext as ValueContext,
)
from tensorlite.compat.v2.distribute.parameter_server import (
    ParameterServerStrategy as ParameterServerStrategy,
)

CollectiveCommunication = CommunicationImplementation
MultiWorkerMirroredStrategy = _Communicating

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
