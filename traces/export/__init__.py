"""A trace as a file that other tools read: `table.TARGETS` lists the formats, each one module from columns to bytes."""
