// Opens a model with the component, sets all channels to 1 and counts what is shown: run_stand_ins MODEL.safetensors
#include <cstdio>

#include "RigcastComponent.h"

int main(int count, char** arguments) {
    URigcastComponent component;
    if (count != 2 || component.SetPose({1.0f}) || !component.Open(arguments[1])) return 1;
    const double before = component.shown[0].X;
    if (component.SetPose({1.0f})) return 2;  // of another width: refused, and logged
    TArray<double> channels;
    rigcast_model* model = nullptr;
    rigcast_description about{};
    about.size = sizeof about;
    if (rigcast_open(arguments[1], &model) != RIGCAST_OK || rigcast_describe(model, &about) != RIGCAST_OK) return 3;
    for (std::int64_t i = 0; i < about.channels; ++i) channels.Add(1.0);
    rigcast_model_free(model);
    if (!component.SetChannels(channels)) return 4;
    std::printf("%d vertices, %d triangles, vertex 0 from %g to %g\n", component.shown.Num(),
                component.triangles.Num() / 3, before, component.shown[0].X);
    component.BeginDestroy();
    return 0;
}
