#include "errors.h"

#include <pybind11/pybind11.h>

#include <string>

#include "rigwright/core/error.h"

namespace rigwright::bindings {
namespace {

namespace py = pybind11;

/// A text may contain a file name that is not UTF-8: it is decoded as os.fsdecode does.
void set_error(PyObject* type, const std::string& text) {
    const auto decoded = py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "surrogateescape"));
    if (decoded) PyErr_SetObject(type, decoded.ptr());
}

void raise(const char* name, const char* text) {
    set_error(py::object(py::module_::import("rigwright.errors").attr(name)).ptr(), text);
}

}  // namespace

void translate(std::exception_ptr pointer) {
    try {
        if (pointer) std::rethrow_exception(pointer);
    } catch (const ArgumentError& error) {
        set_error(PyExc_ValueError, error.what());
    } catch (const NumericalError& error) {
        raise("NumericalError", error.what());
    } catch (const CudaError& error) {
        raise("CudaError", error.what());
    }
}

}  // namespace rigwright::bindings
