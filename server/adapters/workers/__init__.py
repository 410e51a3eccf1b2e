"""CPU work in processes of its own: `worker_pool` is the server's TraceWorkers, `jobs` is what runs inside a worker."""
