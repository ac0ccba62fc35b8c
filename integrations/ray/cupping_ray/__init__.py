"""Runs the jobs of Cupping on a Ray cluster.

Three commands do everything: ``cupping plan`` lists jobs, ``cupping work`` does them, ``cupping merge`` puts results
together. This package only decides where jobs run: it keeps a worker on each processor of the cluster, gives it one
job after another, and plans again until a plan is empty. All state is in the store. A node that is lost costs the jobs
that it was at; a driver that is lost costs nothing: started again, it plans what is left.
"""

from .driver import Driver, Settings
from .jobs import Job, jobs_of
from .stream import Stream

__all__ = ["Driver", "Job", "Settings", "Stream", "jobs_of"]
