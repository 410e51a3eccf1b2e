"""Objects in a folder: `objects.FolderObjects`."""
