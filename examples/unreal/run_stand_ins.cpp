// Opens a model with the component, sets all channels to a value and prints what is shown, a vertex or a triangle per
// line: run_stand_ins MODEL.safetensors CHANNELS VALUE
#include <cstdio>
#include <cstdlib>

#include "RigcastComponent.h"

int main(int count, char** arguments) {
    URigcastComponent component;
    if (count != 4 || component.SetPose({1.0f}) || !component.Open(arguments[1])) return 1;
    if (component.SetPose({1.0f})) return 2;  // of another width: refused, and logged
    TArray<double> channels;
    for (int i = 0; i < std::atoi(arguments[2]); ++i) channels.Add(std::atof(arguments[3]));
    if (!component.SetChannels(channels)) return 3;
    for (int32 v = 0; v < component.shown.Num(); ++v) {
        std::printf("v %.9g %.9g %.9g\n", component.shown[v].X, component.shown[v].Y, component.shown[v].Z);
    }
    for (int32 t = 0; t < component.triangles.Num(); t += 3) {
        std::printf("f %d %d %d\n", component.triangles[t], component.triangles[t + 1], component.triangles[t + 2]);
    }
    component.BeginDestroy();
    return 0;
}
