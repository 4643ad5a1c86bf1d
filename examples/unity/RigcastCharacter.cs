// A component that shows a rigcast model: add it to an object, name a model file of Assets/StreamingAssets, and call
// SetPose or SetChannels. Compiled and run against stand-ins for the types of Unity (StandIns.cs), not run in Unity.
using System.IO;
using UnityEngine;
using UnityEngine.Rendering;

[RequireComponent(typeof(MeshFilter), typeof(MeshRenderer))]
public class RigcastCharacter : MonoBehaviour
{
    [Tooltip("Relative to Assets/StreamingAssets")]
    public string modelFile = "hero.safetensors";

    private Rigcast.Model model;
    private Rigcast.Session session;
    private Mesh mesh;
    private Vector3[] positions;

    private void Awake()
    {
        Open(Path.Combine(Application.streamingAssetsPath, modelFile));
    }

    /// Reads a model and shows it at rest. Returns false, with a line in the console, if it is none.
    public bool Open(string path)
    {
        Close();
        try
        {
            model = new Rigcast.Model(path);
            session = new Rigcast.Session(model);
        }
        catch (Rigcast.RigcastException refused)
        {
            Debug.LogError(refused.Message, this);
            Close();
            return false;
        }
        positions = new Vector3[model.RestVertices.Length / 3];
        if (mesh != null) Destroy(mesh);
        mesh = new Mesh { name = model.Kind };
        mesh.indexFormat = positions.Length > 65535 ? IndexFormat.UInt32 : IndexFormat.UInt16;
        mesh.MarkDynamic(); // it changes every frame
        Show(model.RestVertices);
        mesh.SetTriangles(TrianglesOf(model.FaceCorners), 0);
        mesh.RecalculateNormals();
        GetComponent<MeshFilter>().sharedMesh = mesh;
        return true;
    }

    /// Shows a pose: 12 numbers per joint, then the numeric controls. On the main thread.
    public bool SetPose(float[] pose)
    {
        if (session == null) return false;
        try
        {
            Show(session.Evaluate(pose));
        }
        catch (Rigcast.RigcastException refused)
        {
            Debug.LogError(refused.Message, this);
            return false;
        }
        mesh.RecalculateNormals();
        return true;
    }

    /// Sets what artists turn, of models whose poses plain kinematics or a mechanism decides.
    public bool SetChannels(double[] channels)
    {
        if (model == null) return false;
        try
        {
            return SetPose(model.Pose(channels));
        }
        catch (Rigcast.RigcastException refused)
        {
            Debug.LogError(refused.Message, this);
            return false;
        }
    }

    private void Show(float[] numbers)
    {
        float scale = (float)model.MetersPerUnit;
        for (int v = 0; v < positions.Length; ++v)
            positions[v] = InUnity(numbers[3 * v], numbers[3 * v + 1], numbers[3 * v + 2], model.UpAxis, scale);
        mesh.SetVertices(positions);
        mesh.RecalculateBounds();
    }

    /// From the model's right-handed axes and its unit to Unity's: left-handed, y up, meters. The y-up form of the model
    /// is mirrored in x, as importers of glTF for Unity do, so that what looks along z looks along z.
    public static Vector3 InUnity(float x, float y, float z, string upAxis, float scale)
    {
        switch (upAxis)
        {
            case "X": return new Vector3(scale * y, scale * x, scale * z);
            case "Z": return new Vector3(-scale * x, scale * z, -scale * y);
            default: return new Vector3(-scale * x, scale * y, scale * z);
        }
    }

    /// Triangles of faces with four corners each, of which the last is -1 in a triangle. A mirror image turns the order
    /// of corners around: Unity wants them clockwise, seen from outside.
    public static int[] TrianglesOf(int[] corners)
    {
        int count = 0;
        for (int face = 0; face < corners.Length; face += 4) count += corners[face + 3] < 0 ? 1 : 2;
        var triangles = new int[3 * count];
        int next = 0;
        for (int face = 0; face < corners.Length; face += 4)
            for (int last = 2; last < (corners[face + 3] < 0 ? 3 : 4); ++last)
            {
                triangles[next++] = corners[face];
                triangles[next++] = corners[face + last];
                triangles[next++] = corners[face + last - 1];
            }
        return triangles;
    }

    private void OnDestroy()
    {
        Close();
        if (mesh != null) Destroy(mesh);
    }

    private void Close()
    {
        if (session != null) session.Dispose();
        if (model != null) model.Dispose();
        session = null;
        model = null;
    }
}
