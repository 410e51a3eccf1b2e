"""What reaches outside, where an administrator says so: other servers' tools, and the web."""
