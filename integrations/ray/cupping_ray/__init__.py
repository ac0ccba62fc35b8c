"""Runs the jobs of Cupping on a Ray cluster.

Three commands do everything: ``cupping plan`` lists jobs, ``cupping work`` does them, ``cupping merge`` puts results
together. This package only decides where jobs run: it packs them into batches, gives the batches to Ray, and plans
again until a plan is empty. All state is in the store. A node that is lost costs the jobs that it was at; a driver
that is lost costs nothing: started again, it plans what is left.
"""

from .batches import Batch, pack, split
from .driver import Driver, Settings

__all__ = ["Batch", "Driver", "Settings", "pack", "split"]
