// The C library as a module without sources, for Plugins/Rigcast/Source/ThirdParty/Rigcast or Source/ThirdParty/Rigcast:
// beside this file lie include/rigcast (the headers) and lib (the library). The module of RigcastComponent lists
// "Rigcast" and "ProceduralMeshComponent" in PublicDependencyModuleNames. Compiled against stand-ins, not run in Unreal.
using System.IO;
using UnrealBuildTool;

public class Rigcast : ModuleRules
{
    public Rigcast(ReadOnlyTargetRules Target) : base(Target)
    {
        Type = ModuleType.External;
        PublicSystemIncludePaths.Add(Path.Combine(ModuleDirectory, "include"));
        string Libraries = Path.Combine(ModuleDirectory, "lib");
        if (Target.Platform == UnrealTargetPlatform.Win64)
        {
            PublicAdditionalLibraries.Add(Path.Combine(Libraries, "rigcast.lib")); // the import library
            PublicDelayLoadDLLs.Add("rigcast.dll");
            RuntimeDependencies.Add("$(BinaryOutputDir)/rigcast.dll", Path.Combine(Libraries, "rigcast.dll"));
        }
        else if (Target.Platform == UnrealTargetPlatform.Linux)
        {
            string Library = Path.Combine(Libraries, "librigcast.so.1"); // the name that programs look for
            PublicAdditionalLibraries.Add(Library);
            RuntimeDependencies.Add(Library);
        }
    }
}
