"""A layout has the same bytes with every instruction set: the engine's, NumPy's and BLAS's."""

import os
import subprocess
import sys

from rigcast import _core

CODE = """
import hashlib
import rigcast as rc
from tests.training.laid_face import LaidData
digest = hashlib.sha256()
for uvs in (True, False):
    for segment in rc.training.face_layout(LaidData(uvs=uvs), resolution=6, fields=2, threads=1).segments:
        for array in (segment.vertices, segment.uvs, segment.weights, segment.columns):
            digest.update(array.tobytes())
print(digest.hexdigest())
"""
NEWER = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR AVX2 FMA3"


def printed(**environment):
    command = [sys.executable, "-W", "ignore", "-c", CODE]  # NumPy warns of features that this processor lacks anyway
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True)
    return done.stdout


def test_the_oldest_instruction_sets_give_the_bytes_of_the_newest():
    newest, *_, oldest = _core.instruction_sets()
    old = {"NPY_DISABLE_CPU_FEATURES": NEWER, "OPENBLAS_CORETYPE": "Nehalem", "RIGCAST_INSTRUCTION_SET": oldest}
    assert printed(**old) == printed(RIGCAST_INSTRUCTION_SET=newest)
