"""Where runs come from besides this machine's disk. Nothing is fetched unless somebody asks."""
