#include "errors.h"

#include <pybind11/pybind11.h>

#include "rigwright/core/error.h"

namespace rigwright::bindings {
namespace {

void raise(const char* name, const char* text) {
    namespace py = pybind11;
    const py::object type = py::module_::import("rigwright.errors").attr(name);
    PyErr_SetString(type.ptr(), text);
}

}  // namespace

void translate(std::exception_ptr pointer) {
    try {
        if (pointer) std::rethrow_exception(pointer);
    } catch (const ArgumentError& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const NumericalError& error) {
        raise("NumericalError", error.what());
    } catch (const CudaError& error) {
        raise("CudaError", error.what());
    }
}

}  // namespace rigwright::bindings
