"""A trace as a file that other tools read: `targets.TARGETS` lists the formats, a module each from columns to bytes."""
