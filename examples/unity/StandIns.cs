// Stand-ins for what RigcastCharacter uses of Unity, so that it is compiled and run by the tests of this project. No
// file of a Unity project.
using System;

namespace UnityEngine
{
    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
    }

    public class Object
    {
        public string name;
        public static void Destroy(Object gone) { }
    }

    public class Component : Object
    {
        private readonly MeshFilter filter = new MeshFilter();
        public T GetComponent<T>() where T : class { return filter as T; }
    }

    public class MeshFilter : Object
    {
        public Mesh sharedMesh;
    }

    public class MeshRenderer : Object { }

    public class MonoBehaviour : Component { }

    public class Mesh : Object
    {
        public Rendering.IndexFormat indexFormat;
        public bool isDynamic;
        public int normalsFrom = -1; // how many vertices there were when normals were made
        public Vector3[] shown = new Vector3[0];
        public int[] corners = new int[0];
        public void MarkDynamic() { isDynamic = true; }
        public void SetVertices(Vector3[] vertices) { shown = (Vector3[])vertices.Clone(); }
        public void SetTriangles(int[] triangles, int submesh)
        {
            foreach (int corner in triangles)
                if (corner < 0 || corner >= shown.Length) throw new ArgumentException("out of bounds");
            corners = (int[])triangles.Clone();
        }
        public void RecalculateNormals() { normalsFrom = shown.Length; }
        public void RecalculateBounds() { }
    }

    public static class Application
    {
        public static string streamingAssetsPath = ".";
    }

    public static class Time
    {
        public static float time;
    }

    public static class Debug
    {
        public static void LogError(object message, Object context) { Console.Error.WriteLine(message); }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public class RequireComponent : Attribute
    {
        public RequireComponent(Type first, Type second) { }
    }

    [AttributeUsage(AttributeTargets.Field)]
    public class TooltipAttribute : Attribute
    {
        public TooltipAttribute(string text) { }
    }

    namespace Rendering
    {
        public enum IndexFormat { UInt16, UInt32 }
    }
}
