"""One file a format, which feeds the builder. `table.FORMATS` is the only list, `signs_in_*` tell formats apart."""
