"""Many recordings of a folder or a bucket, each measured once, into tables that other engines read."""
