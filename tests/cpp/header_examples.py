"""Write the examples of headers as one function each: ``python header_examples.py FOLDER OUT.cpp``.

An example is what stands between ``/// ```cpp`` and ``/// ``` `` in a header of FOLDER/rigcast. Its function has the
numbers and the skeleton that examples speak of as arguments.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

EXAMPLE = re.compile(r"^ */// ```cpp\n((?: *///.*\n)*?) */// ```$", re.MULTILINE)
GIVEN = (
    "std::int64_t frames",
    "std::int64_t vertices",
    "std::int64_t shapes",
    "std::int64_t faces",
    "const rig::Skeleton& skeleton",
)
HEAD = """#include <cstdio>
#include <iterator>
#include <memory>
#include <vector>

#include "rigcast/body/body_model.h"
#include "rigcast/cuda/resident.h"
#include "rigcast/ik/goals/pose_solver.h"
#include "rigcast/ik/limbs/limb.h"
#include "rigcast/rigcast.h"
#include "rigcast/synthesis/latent/latent_space.h"

using namespace rigcast;
"""


def examples(folder: Path) -> dict[str, str]:
    """The code of each example by the name of its header."""
    found = {}
    for header in sorted((folder / "rigcast").rglob("*.h")):
        for code in EXAMPLE.findall(header.read_text(encoding="utf-8")):
            name = str(header.relative_to(folder))
            assert name not in found, f"{name} has two examples"
            found[name] = re.sub(r"^ */// ?", "", code, flags=re.MULTILINE)
    return found


def source(folder: Path) -> str:
    """A C++ file with a function for each example."""
    given = ", ".join(f"[[maybe_unused]] {one}" for one in GIVEN)
    functions = [
        f"// {name}\nvoid example_{number}({given}) {{\n{{\n{code}}}\n}}\n"
        for number, (name, code) in enumerate(examples(folder).items())
    ]
    return "\n".join([HEAD, *functions])


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(source(Path(sys.argv[1])), encoding="utf-8")
