"""Opening what other programs wrote: one file a format, a registry, detection by content."""
