#include "bindings.h"
#include "core/error.h"

namespace py = pybind11;

namespace {

/// The project's exceptions live in rigwright.errors, in plain Python; the C++ ones become those.
void register_errors() {
    py::register_exception_translator([](std::exception_ptr pointer) {
        const auto raise = [](const char* name, const char* text) {
            const py::object type = py::module_::import("rigwright.errors").attr(name);
            PyErr_SetString(type.ptr(), text);
        };
        try {
            if (pointer) std::rethrow_exception(pointer);
        } catch (const rigwright::ArgumentError& error) {
            PyErr_SetString(PyExc_ValueError, error.what());
        } catch (const rigwright::NumericalError& error) {
            raise("NumericalError", error.what());
        } catch (const rigwright::CudaError& error) {
            raise("CudaError", error.what());
        }
    });
}

}  // namespace

PYBIND11_MODULE(_core, module) {
    module.doc() = "The C++ engine of rigwright.";
    register_errors();
    rigwright::bindings::bind_core(module);
    rigwright::bindings::bind_linalg(module);
    rigwright::bindings::bind_mesh(module);
    rigwright::bindings::bind_rig(module);
    rigwright::bindings::bind_body(module);
    rigwright::bindings::bind_metrics(module);
    rigwright::bindings::bind_models(module);
}
