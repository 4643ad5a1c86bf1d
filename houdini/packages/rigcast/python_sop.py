import hou
import rigcast_houdini

# Inputs: 1 the character at rest, 2 its skeleton at rest (Capture Pose), 3 its moving skeleton (Animated Pose).
node = hou.pwd()
rigcast_houdini.cook(node, "$HIP/hero.safetensors")
