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
            PublicAdditionalLibraries.Add(Path.Combine(Libraries, "librigcast.so")); // what -lrigcast finds
            // What programs look for, beside them: the build tool adds their folder to the places that are searched.
            RuntimeDependencies.Add("$(BinaryOutputDir)/librigcast.so.1", Path.Combine(Libraries, "librigcast.so.1"));
        }
    }
}
