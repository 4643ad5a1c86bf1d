// A session of rigcast for Unity and other hosts in C#: place the library where the host finds native plug-ins, under
// the name librigcast.so (rigcast.dll), and this file among its scripts.
//
//     using (var model = new Rigcast.Model("hero.safetensors"))
//     using (var session = new Rigcast.Session(model))
//         Show(session.Evaluate(model.RestPose));      // 3 numbers per vertex, in the model's unit and axes
//
// examples/unity has a component that shows them in Unity's.
using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Rigcast
{
    /// A call that failed, with the sentence of the library.
    public class RigcastException : Exception
    {
        public readonly int Status; // 1 a wrong argument, 2 a wrong file, 3 no number, 4 no memory, 5 a wrong object
        public RigcastException(int status, string sentence) : base(sentence) { Status = status; }
    }

    /// rigcast_description; a later library fills what it knows of it, and takes its size for the version.
    [StructLayout(LayoutKind.Sequential)]
    internal struct Description
    {
        public UIntPtr Size;
        public IntPtr Kind, Name, UpAxis;
        public double MetersPerUnit, PoseLimit;
        public long Vertices, Faces, Joints, Columns, Channels, Parts, Materials, Uvs, DetailSegments;
        public IntPtr RestVertices, FaceCorners, RestPose, ColumnRanges, ColumnNames, JointNames, JointParents, JointRest;
        public IntPtr Channel, PartNames, VertexParts, MaterialNames, FaceMaterials, Uv, UvCorners, Metadata;
    }

    internal static class Native
    {
        private const string Library = "rigcast"; // on Linux librigcast.so, a link to librigcast.so.1
        [DllImport(Library)] public static extern IntPtr rigcast_error();
        [DllImport(Library)] public static extern int rigcast_open(byte[] path, out IntPtr model);
        [DllImport(Library)] public static extern int rigcast_describe(IntPtr model, ref Description description);
        [DllImport(Library)] public static extern void rigcast_model_free(IntPtr model);
        [DllImport(Library)] public static extern int rigcast_poses(IntPtr model, long frames, double[] channels,
                                                                    long channelCount, float[] poses, long poseCount);
        [DllImport(Library)] public static extern int rigcast_session_new(IntPtr model, out IntPtr session);
        [DllImport(Library)] public static extern int rigcast_session_evaluate(IntPtr session, float[] pose, long poseCount,
                                                                               float[] vertices, long vertexCount);
        [DllImport(Library)] public static extern void rigcast_session_free(IntPtr session);

        public static void Check(int status)
        {
            if (status != 0) throw new RigcastException(status, Text(rigcast_error()));
        }

        public static string Text(IntPtr utf8)
        {
            int length = 0;
            while (Marshal.ReadByte(utf8, length) != 0) ++length;
            var bytes = new byte[length];
            Marshal.Copy(utf8, bytes, 0, length);
            return Encoding.UTF8.GetString(bytes);
        }
    }

    /// A model file, read.
    public sealed class Model : IDisposable
    {
        internal IntPtr Handle;
        public readonly string Kind, UpAxis; // "X", "Y" or "Z"
        public readonly double MetersPerUnit;
        public readonly float[] RestPose, RestVertices;
        public readonly int[] FaceCorners; // four per face, -1 pads triangles

        public Model(string path)
        {
            Native.Check(Native.rigcast_open(Encoding.UTF8.GetBytes(path + "\0"), out Handle));
            var about = new Description { Size = (UIntPtr)(uint)Marshal.SizeOf(typeof(Description)) };
            Native.Check(Native.rigcast_describe(Handle, ref about));
            Kind = Native.Text(about.Kind);
            UpAxis = Native.Text(about.UpAxis);
            MetersPerUnit = about.MetersPerUnit;
            RestPose = new float[about.Columns];
            RestVertices = new float[3 * about.Vertices];
            FaceCorners = new int[4 * about.Faces];
            Marshal.Copy(about.RestPose, RestPose, 0, RestPose.Length);
            Marshal.Copy(about.RestVertices, RestVertices, 0, RestVertices.Length);
            if (FaceCorners.Length > 0) Marshal.Copy(about.FaceCorners, FaceCorners, 0, FaceCorners.Length);
        }

        /// The pose of channels: what artists turn. Refused if the model has none that decide its poses.
        public float[] Pose(double[] channels)
        {
            var pose = new float[RestPose.Length];
            Native.Check(Native.rigcast_poses(Handle, 1, channels, channels.Length, pose, pose.Length));
            return pose;
        }

        public void Dispose() { Native.rigcast_model_free(Handle); Handle = IntPtr.Zero; GC.SuppressFinalize(this); }
        ~Model() { Native.rigcast_model_free(Handle); }
    }

    /// Evaluates one pose after another and computes only what changed; for one thread at a time.
    public sealed class Session : IDisposable
    {
        private IntPtr handle;
        private readonly float[] vertices;

        public Session(Model model)
        {
            Native.Check(Native.rigcast_session_new(model.Handle, out handle));
            vertices = new float[model.RestVertices.Length];
        }

        /// The vertices of a pose; the array is written again by the next call.
        public float[] Evaluate(float[] pose)
        {
            Native.Check(Native.rigcast_session_evaluate(handle, pose, pose.Length, vertices, vertices.Length));
            return vertices;
        }

        public void Dispose() { Native.rigcast_session_free(handle); handle = IntPtr.Zero; GC.SuppressFinalize(this); }
        ~Session() { Native.rigcast_session_free(handle); }
    }
}
