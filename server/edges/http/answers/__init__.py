"""What worker processes answer the routes: pure functions of a trace, without a web framework, which a new worker would
load for its first answer: two seconds of a processor, and 100 MB."""
