"""From live Python and Haystack values to the value trees of FORMAT.md."""
