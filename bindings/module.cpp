#include "bindings/bindings.h"
#include "bindings/convert/errors.h"
#include "bindings/convert/unmade.h"
#include "bindings/synthesis.h"

PYBIND11_MODULE(_core, module) {
    module.doc() = "The C++ engine of rigwright.";
    pybind11::register_exception_translator(&rigwright::bindings::translate);
    rigwright::bindings::bind_core(module);
    rigwright::bindings::bind_linalg(module);
    rigwright::bindings::bind_mesh(module);
    rigwright::bindings::bind_display(module);
    rigwright::bindings::bind_optimize(module);
    rigwright::bindings::bind_channels(module);
    rigwright::bindings::bind_rig(module);
    rigwright::bindings::bind_skinning(module);
    rigwright::bindings::bind_derivatives(module);
    rigwright::bindings::bind_blendshape(module);
    rigwright::bindings::bind_body(module);
    rigwright::bindings::bind_baseline(module);
    rigwright::bindings::bind_differential(module);
    rigwright::bindings::bind_metrics(module);
    rigwright::bindings::bind_face(module);
    rigwright::bindings::bind_face_maps(module);
    rigwright::bindings::bind_transfer(module);
    rigwright::bindings::bind_models(module);
    rigwright::bindings::bind_limbs(module);
    rigwright::bindings::bind_packing(module);
    rigwright::bindings::bind_latent_space(module);
    rigwright::bindings::bind_latent_fit(module);
    rigwright::bindings::bind_synthesis_playing(module);
    rigwright::bindings::bind_inverse(module);
    rigwright::bindings::bind_majorize_minimize(module);
    rigwright::bindings::bind_ik_goals(module);
    rigwright::bindings::refuse_unmade(module);
}
