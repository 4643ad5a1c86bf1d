"""Sampling rigs into data sets, and reading data sets."""

from rigwright.sampling.check import RigFacts, check_rig
from rigwright.sampling.dataset import Dataset, Probe
from rigwright.sampling.executor import Executor, InProcess, LocalProcesses
from rigwright.sampling.job import sample
from rigwright.sampling.samplers import Animation, Mixture, Normal, Sampler, Uniform

__all__ = [
    "Animation",
    "Dataset",
    "Executor",
    "InProcess",
    "LocalProcesses",
    "Mixture",
    "Normal",
    "Probe",
    "RigFacts",
    "Sampler",
    "Uniform",
    "check_rig",
    "sample",
]
