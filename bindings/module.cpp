#include "bindings/bindings.h"
#include "bindings/convert/errors.h"
#include "bindings/convert/short_errors.h"
#include "bindings/convert/unmade.h"
#include "bindings/device/device_models.h"
#include "bindings/features/synthesis.h"

PYBIND11_MODULE(_core, module) {
    module.doc() = "The C++ engine of rigcast.";
    pybind11::register_exception_translator(&rigcast::bindings::translate);
    rigcast::bindings::bind_core(module);
    rigcast::bindings::bind_linalg(module);
    rigcast::bindings::bind_mesh(module);
    rigcast::bindings::bind_display(module);
    rigcast::bindings::bind_optimize(module);
    rigcast::bindings::bind_channels(module);
    rigcast::bindings::bind_rig(module);
    rigcast::bindings::bind_skinning(module);
    rigcast::bindings::bind_derivatives(module);
    rigcast::bindings::bind_device_models(module);
    rigcast::bindings::bind_blendshape(module);
    rigcast::bindings::bind_body(module);
    rigcast::bindings::bind_baseline(module);
    rigcast::bindings::bind_differential(module);
    rigcast::bindings::bind_metrics(module);
    rigcast::bindings::bind_render(module);
    rigcast::bindings::bind_crowd(module);
    rigcast::bindings::bind_face(module);
    rigcast::bindings::bind_face_maps(module);
    rigcast::bindings::bind_transfer(module);
    rigcast::bindings::bind_models(module);
    rigcast::bindings::bind_limbs(module);
    rigcast::bindings::bind_packing(module);
    rigcast::bindings::bind_latent_space(module);
    rigcast::bindings::bind_latent_fit(module);
    rigcast::bindings::bind_synthesis_playing(module);
    rigcast::bindings::bind_synthesis_players(module);
    rigcast::bindings::bind_synthesis_paths(module);
    rigcast::bindings::bind_inverse(module);
    rigcast::bindings::bind_majorize_minimize(module);
    rigcast::bindings::bind_ik_goals(module);
    rigcast::bindings::bind_capture(module);
    rigcast::bindings::bind_face_network(module);
    rigcast::bindings::bind_refinement(module);
    rigcast::bindings::refuse_unmade(module);
    rigcast::bindings::shorten_call_errors(module);
}
