"""Arms from what was written of them: `urdf`, `tables` (robot files), `words` (generators), `arrays`."""
