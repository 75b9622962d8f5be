"""Linear algebra: products, factorisations, systems, spectra, bands."""
