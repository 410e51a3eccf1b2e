"""One file a format: each says what it looks like and feeds the builder. `table.FORMATS` is the only list of them."""
