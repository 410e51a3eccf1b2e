"""Recordings on this machine: which programs are here, the child that is recorded, the folder of
what it leaves.
"""
