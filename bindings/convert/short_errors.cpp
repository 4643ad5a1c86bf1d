#include "bindings/convert/short_errors.h"

#include <string>

namespace rigcast::bindings {
namespace {

namespace py = pybind11;

using Call = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
using Plain = void (*)();
Call dispatcher = nullptr;  // pybind11's, the same for all functions of a module

/// Replaces the text of the current TypeError if it is the dispatcher's.
void shorten(PyObject* const* args, Py_ssize_t given, PyObject* names) {
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    try {
        const auto text = py::str(py::handle(value)).cast<std::string>();
        if (text.find("(): incompatible ") != std::string::npos && text.find("\nInvoked with: ") != std::string::npos) {
            py::list positional;
            for (Py_ssize_t i = 0; i < given; ++i) positional.append(py::handle(args[i]));
            py::dict named;
            for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
                named[py::handle(PyTuple_GET_ITEM(names, i))] = py::handle(args[given + i]);
            }
            const py::object told =
                py::module_::import("rigcast._validate.signatures").attr("call_error")(text, positional, named);
            Py_XDECREF(type);
            Py_XDECREF(value);
            Py_XDECREF(trace);
            PyErr_SetObject(PyExc_TypeError, told.ptr());
            return;
        }
    } catch (const py::error_already_set&) {  // the long text stays
    }
    PyErr_Restore(type, value, trace);
}

PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    PyObject* result = dispatcher(self, args, count, names);
    if (result == nullptr && PyErr_ExceptionMatches(PyExc_TypeError)) shorten(args, PyVectorcall_NARGS(count), names);
    return result;
}

/// A function of pybind11, or a method, whose calls are to be explained; others are left alone.
void explain(py::handle object) {
    PyObject* function = object.ptr();
    if (PyInstanceMethod_Check(function)) function = PyInstanceMethod_GET_FUNCTION(function);
    if (!PyCFunction_Check(function)) return;
    PyMethodDef* method = reinterpret_cast<PyCFunctionObject*>(function)->m_ml;
    if (method->ml_flags != (METH_FASTCALL | METH_KEYWORDS)) return;  // an older pybind11
    const auto own = reinterpret_cast<Call>(reinterpret_cast<Plain>(method->ml_meth));
    if (own == &call) return;  // an inherited or repeated one
    dispatcher = own;
    method->ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<Plain>(&call));
}

}  // namespace

void shorten_call_errors(py::module_& module) {
    for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
        explain(value);
        if (!PyType_Check(value.ptr())) continue;
        if (py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr())) == nullptr) continue;
        const py::object members = py::dict(value.attr("__dict__"));
        for (const auto& [member, held] : members.cast<py::dict>()) {
            explain(py::isinstance<py::staticmethod>(held) ? py::object(held.attr("__func__"))
                                                           : py::reinterpret_borrow<py::object>(held));
        }
    }
}

}  // namespace rigcast::bindings
