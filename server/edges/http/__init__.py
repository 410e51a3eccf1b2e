"""HTTP: traces, sessions, pictures, the page. `application` puts it together; `problems` is the one table from error
to status.
"""
