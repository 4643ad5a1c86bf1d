"""Deformers fitted to the same samples as a learned model, to compare with it.

All take a data set or :class:`Samples`, and ``fit_on=``: the poses to fit to in place of the data's (the second
protocol: fitted on the very clip that is judged). :func:`motion_graph`, :func:`motion_matching` and :func:`cross_fade`
play the clips of a :class:`rigcast.synthesis.Synthesizer` without its latent spaces.
"""

from rigcast._regression.skinning_decomposition import SkinningDecomposition, skinning_decomposition
from rigcast.baselines._dense_network import dense_network
from rigcast.baselines._direct_delta_mush import direct_delta_mush
from rigcast.baselines._key_points import KeyPointSubspace, key_point_subspace
from rigcast.baselines._kpsa import kpsa
from rigcast.baselines._linear_blend import linear_blend, linear_part
from rigcast.baselines._motion.graph import MotionGraph, motion_graph
from rigcast.baselines._motion.matching import MotionMatching, cross_fade, motion_matching
from rigcast.baselines._pca_regression import pca_regression
from rigcast.baselines._pose_space import pose_space_deformation
from rigcast.baselines._rotational_regression import rotational_regression
from rigcast.baselines._samples import Samples
from rigcast.baselines._ssdr import ssdr

__all__ = [
    "KeyPointSubspace",
    "MotionGraph",
    "MotionMatching",
    "Samples",
    "SkinningDecomposition",
    "cross_fade",
    "dense_network",
    "direct_delta_mush",
    "key_point_subspace",
    "kpsa",
    "linear_blend",
    "linear_part",
    "motion_graph",
    "motion_matching",
    "pca_regression",
    "pose_space_deformation",
    "rotational_regression",
    "skinning_decomposition",
    "ssdr",
]
