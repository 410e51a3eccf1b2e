"""Spans of this server for an OpenTelemetry collector. Loaded only by a server whose settings name one: the packages
take a while to import.
"""
