"""Write the production face: ``python -m examples.characters.production_face -o face.blend``."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from examples.characters.production_face.build import build_production_face
from examples.characters.production_face.controls import controls


def main(arguments: list[str] | None = None) -> int:
    """Build the face from the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.characters.production_face",
        description="Build a face with the controls, bones, combinations and wrinkles of a production, in Blender.",
    )
    parser.add_argument("-o", "--output", required=True, metavar="FACE.blend", help="the file to write")
    parser.add_argument("--curves", metavar="FOLDER", help="compskin_face_anim: its clips become actions of the file")
    parser.add_argument("--blender", metavar="PROGRAM", help="a Blender executable; default: the bpy wheel")
    parser.add_argument("--sheet", metavar="PNG", help="also draw the face in extreme poses")
    options = parser.parse_args(arguments)
    path = build_production_face(options.output, options.curves, options.blender)
    groups = Counter(row.group for row in controls())
    print(f"wrote {path}: {sum(groups.values())} controls")
    for group, number in groups.items():
        print(f"  {group:<17} {number}")
    if options.sheet is not None:
        from examples.characters.production_face.pictures import draw_poses

        print(f"wrote {draw_poses(path).save(options.sheet)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
