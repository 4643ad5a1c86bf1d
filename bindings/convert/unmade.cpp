#include "bindings/convert/unmade.h"

#include <cstddef>

namespace rigcast::bindings {
namespace {

/// Called when pybind11 would allocate an object whose constructor has not run (type_caster_generic::load_value).
void* refuse(std::size_t) {
    throw pybind11::type_error("this object was made by __new__ alone, without __init__; call its class instead");
}

}  // namespace

void refuse_unmade(pybind11::module_& module) {
    for (const auto& [name, value] : module.attr("__dict__").cast<pybind11::dict>()) {
        if (!PyType_Check(value.ptr())) continue;
        auto* type = pybind11::detail::get_type_info(reinterpret_cast<PyTypeObject*>(value.ptr()));
        if (type != nullptr) type->operator_new = &refuse;
    }
}

}  // namespace rigcast::bindings
