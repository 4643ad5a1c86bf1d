#include "bindings/convert/scalars.h"

#include <limits>

#include "rigcast/core/error.h"

namespace rigcast::bindings {
namespace {

namespace py = pybind11;

/// repr() of an object as UTF-8, which writes half a surrogate pair as \udc80.
std::string shown(const py::handle& object) {
    const auto text = py::reinterpret_steal<py::object>(PyObject_ASCII(object.ptr()));
    if (!text) throw py::error_already_set();
    return text.cast<std::string>();
}

}  // namespace

int thread_count(const char* function, const IntLike& threads) {
    constexpr int most = std::numeric_limits<int>::max();
    int overflow = 0;
    const bool whole = PyIndex_Check(threads.ptr()) && !PyBool_Check(threads.ptr());
    const auto number = py::reinterpret_steal<py::object>(whole ? PyNumber_Index(threads.ptr()) : nullptr);
    const long long count = number ? PyLong_AsLongLongAndOverflow(number.ptr(), &overflow) : -1;
    if (PyErr_Occurred()) throw py::error_already_set();
    if (!number || overflow != 0 || count < 0 || count > most) {
        throw bad_argument(function, "threads", shown(threads),
                           "0 (all processors) or more, up to " + std::to_string(most));
    }
    return static_cast<int>(count);
}

std::vector<std::string> as_names(const char* function, const char* argument, const NamesLike& names) {
    const std::string must = "a sequence of texts";
    if (!py::isinstance<py::sequence>(names) || py::isinstance<py::str>(names) || py::isinstance<py::bytes>(names)) {
        throw bad_argument(function, argument, shown(names), must);
    }
    std::vector<std::string> texts;
    for (const py::handle name : py::sequence(names)) {
        const std::string place = std::string(argument) + "[" + std::to_string(texts.size()) + "]";
        if (!py::isinstance<py::str>(name)) throw bad_argument(function, place, shown(name), "a text");
        py::ssize_t bytes = 0;
        const char* text = PyUnicode_AsUTF8AndSize(name.ptr(), &bytes);
        if (text == nullptr) {
            PyErr_Clear();
            throw bad_argument(function, place, shown(name), "a text without half surrogate pairs");
        }
        texts.emplace_back(text, static_cast<std::size_t>(bytes));
    }
    return texts;
}

}  // namespace rigcast::bindings
