"""CPU work in processes of its own: `pool` is the TraceWorkers of the server, `jobs` is what runs inside a worker."""
