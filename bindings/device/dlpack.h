#pragma once
#include <pybind11/pybind11.h>

#include <cstdint>
#include <iterator>
#include <string>

#include "rigcast/core/error.h"

/// The structures of DLPack 0.8 (https://dmlc.github.io/dlpack), whose layout is fixed by the specification, and calls
/// of objects that support it.
namespace rigcast::bindings::dlpack {

namespace py = pybind11;

struct Device {
    std::int32_t type;
    std::int32_t id;
};

struct DataType {
    std::uint8_t code;
    std::uint8_t bits;
    std::uint16_t lanes;
};
inline constexpr std::uint8_t float_code = 2;

/// "float64", "int32"; "code 9 of 8 bits" for codes of later specifications.
inline std::string name_of(DataType type) {
    constexpr const char* names[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
    const std::string bits = std::to_string(type.bits);
    if (type.code >= std::size(names)) return "code " + std::to_string(type.code) + " of " + bits + " bits";
    return names[type.code] + bits + (type.lanes == 1 ? "" : " x " + std::to_string(type.lanes));
}

struct Tensor {
    void* data;
    Device device;
    std::int32_t ndim;
    DataType dtype;
    std::int64_t* shape;
    std::int64_t* strides;  // in elements; null for contiguous
    std::uint64_t byte_offset;
};

struct ManagedTensor {
    Tensor tensor;
    void* manager;
    void (*deleter)(ManagedTensor*);
};

inline constexpr const char* name = "dltensor";
inline constexpr const char* used_name = "used_dltensor";

/// Types of devices.
inline constexpr std::int32_t cpu = 1;
inline constexpr std::int32_t cuda_host = 3;  // pinned memory
inline constexpr std::int32_t cuda_managed = 13;
inline bool is_host(std::int32_t type) {
    return type == cpu || type == cuda_host;
}

/// call(), a method of an object of another library. Throws ArgumentError with the text of an exception that the method
/// raises: a tensor that cannot be shared says why.
template <class Call>
py::object foreign(const char* function, const char* argument, const char* method, const char* must, const Call& call) {
    try {
        return call();
    } catch (const py::error_already_set& error) {
        if (!error.matches(PyExc_Exception) || error.matches(PyExc_MemoryError)) throw;
        const std::string why = py::str(error.value()).template cast<std::string>();
        throw bad_argument(function, argument, "an object whose " + std::string(method) + " fails (" + why + ")", must);
    }
}

/// The device of an object, type 0 if it does not support DLPack. Throws ArgumentError if it does not say.
inline Device device_of(const char* function, const char* argument, const py::object& object, const char* must) {
    if (!py::hasattr(object, "__dlpack__") || !py::hasattr(object, "__dlpack_device__")) return {0, 0};
    const py::object said = foreign(function, argument, "__dlpack_device__", must, [&]() -> py::object {
        const py::tuple pair = object.attr("__dlpack_device__")();
        return py::make_tuple(py::int_(pair[0]), py::int_(pair[1]));
    });
    const auto pair = said.cast<py::tuple>();
    return {pair[0].cast<std::int32_t>(), pair[1].cast<std::int32_t>()};
}

}  // namespace rigcast::bindings::dlpack
