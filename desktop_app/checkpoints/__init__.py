"""Model folders: what is in them, whether they are whole, which draft belongs to which target."""
