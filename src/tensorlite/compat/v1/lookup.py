"""Tables of keys and values: `tf.lookup`."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.tables import lookup_experimental
from tensorlite.compat.shared.tables.lookups import *
from tensorlite.compat.shared.tables.vocabularies import (
    StaticVocabularyTable as StaticVocabularyTable,
)

experimental = lookup_experimental

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
