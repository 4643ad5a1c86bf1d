// Stand-ins for what Rigcast.Build.cs uses of UnrealBuildTool, so that the tests of this project compile and run it: the
// program prints what the module says for a platform. mono Rigcast.Build.exe Linux
using System;
using System.Collections.Generic;

namespace UnrealBuildTool
{
    public enum UnrealTargetPlatform { Win64, Linux }

    public class ReadOnlyTargetRules
    {
        public UnrealTargetPlatform Platform;
    }

    public class Dependencies : List<string>
    {
        public void Add(string place, string source) { Add(place + " from " + source); }
    }

    public class ModuleRules
    {
        public enum ModuleType { CPlusPlus, External }
        public ModuleType Type;
        public string ModuleDirectory = "module";
        public List<string> PublicSystemIncludePaths = new List<string>(), PublicAdditionalLibraries = new List<string>();
        public List<string> PublicDelayLoadDLLs = new List<string>();
        public Dependencies RuntimeDependencies = new Dependencies();
        public ModuleRules(ReadOnlyTargetRules target) { }
    }

    internal static class Program
    {
        private static void Main(string[] arguments)
        {
            var platform = (UnrealTargetPlatform)Enum.Parse(typeof(UnrealTargetPlatform), arguments[0]);
            var module = new Rigcast(new ReadOnlyTargetRules { Platform = platform });
            Console.WriteLine("type {0}", module.Type);
            foreach (string path in module.PublicSystemIncludePaths) Console.WriteLine("include {0}", path);
            foreach (string path in module.PublicAdditionalLibraries) Console.WriteLine("link {0}", path);
            foreach (string path in module.PublicDelayLoadDLLs) Console.WriteLine("delay {0}", path);
            foreach (string path in module.RuntimeDependencies) Console.WriteLine("ship {0}", path);
        }
    }
}
