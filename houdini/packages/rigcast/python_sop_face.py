import hou
import rigcast_houdini

# Input 1: the face at rest. The channels of the CHOP are called as the shapes of the face.
node = hou.pwd()
rigcast_houdini.cook(node, "$HIP/face.safetensors", pose=hou.node("/obj/chopnet1/OUT"))
