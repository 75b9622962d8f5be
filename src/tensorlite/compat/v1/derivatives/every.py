"""All modules that write gradients: importing this one makes them known."""

from tensorlite.compat.v1.derivatives import (
    algebra as algebra,
    arrays as arrays,
    broadcasting as broadcasting,
    complexes as complexes,
    diagonals as diagonals,
    elements as elements,
    networks as networks,
    pictures as pictures,
    places as places,
    reductions as reductions,
    rounded as rounded,
    segments as segments,
    sparse as sparse,
    special as special,
    spectra as spectra,
)
