#include "bindings/convert/errors.h"

#include <pybind11/pybind11.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/core/files/files.h"

namespace rigcast::bindings {
namespace {

namespace py = pybind11;

/// A text may contain a file name that is not UTF-8: it is decoded as os.fsdecode does. Null if memory is short.
py::object decoded(const std::string& text) {
    return py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "surrogateescape"));
}

void set_error(PyObject* type, const std::string& text) {
    if (const py::object message = decoded(text)) PyErr_SetObject(type, message.ptr());
}

/// As Python's own: the class is that of the number, such as FileNotFoundError or PermissionError.
void set_file_error(const std::filesystem::filesystem_error& error) {
    const int number = error.code().default_error_condition().value();
    const py::object path = decoded(error.path1().string());
    if (path) PyErr_SetObject(PyExc_OSError, py::make_tuple(number, error.code().message(), path).ptr());
}

/// An error of rigcast.errors from its fields.
template <class... Fields>
void set_argument_error(const char* name, const Fields&... fields) {
    const py::object type = py::module_::import("rigcast.errors").attr(name);
    const std::array<py::object, sizeof...(fields)> values = {decoded(fields)...};
    py::tuple arguments(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!values[i]) return;
        arguments[i] = values[i];
    }
    PyErr_SetObject(type.ptr(), arguments.ptr());
}

void raise(const char* name, const char* text) {
    set_error(py::object(py::module_::import("rigcast.errors").attr(name)).ptr(), text);
}

}  // namespace

void translate(std::exception_ptr pointer) {
    try {
        if (pointer) std::rethrow_exception(pointer);
    } catch (const FileError& error) {
        set_argument_error("FileError", error.function, error.argument, error.got, error.expected, error.path);
    } catch (const ArgumentError& error) {
        set_argument_error("ArgumentError", error.function, error.argument, error.got, error.expected);
    } catch (const std::filesystem::filesystem_error& error) {
        set_file_error(error);
    } catch (const NumericalError& error) {
        raise("NumericalError", error.what());
    } catch (const CudaError& error) {
        raise("CudaError", error.what());
    }
}

}  // namespace rigcast::bindings
