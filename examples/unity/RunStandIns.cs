// Opens a model with the component, sets all channels to a value and prints what is shown, a vertex or a triangle per
// line: mono RunStandIns.exe MODEL.safetensors CHANNELS VALUE
using System;
using System.Globalization;
using UnityEngine;

internal static class RunStandIns
{
    private static int Main(string[] arguments)
    {
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        var character = new RigcastCharacter();
        if (character.SetPose(new float[1])) return 1; // nothing is open
        if (!character.Open(arguments[0])) return 2;
        if (character.SetPose(new float[1])) return 3; // of another width: refused, and logged
        var channels = new double[int.Parse(arguments[1])];
        for (int c = 0; c < channels.Length; ++c) channels[c] = double.Parse(arguments[2]);
        if (!character.SetChannels(channels)) return 4;
        Mesh mesh = character.GetComponent<MeshFilter>().sharedMesh;
        if (!mesh.isDynamic || mesh.normalsFrom != mesh.shown.Length) return 5;
        foreach (Vector3 v in mesh.shown) Console.WriteLine("v {0:R} {1:R} {2:R}", v.x, v.y, v.z);
        for (int t = 0; t < mesh.corners.Length; t += 3)
            Console.WriteLine("f {0} {1} {2}", mesh.corners[t], mesh.corners[t + 1], mesh.corners[t + 2]);
        return 0;
    }
}
