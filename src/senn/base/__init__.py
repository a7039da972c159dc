"""The floor of all rooms: errors, files, tables and digests."""
