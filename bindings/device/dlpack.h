#pragma once
#include <cstdint>

/// The structures of DLPack 0.8 (https://dmlc.github.io/dlpack). Their layout is fixed by the specification.
namespace rigcast::bindings::dlpack {

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

}  // namespace rigcast::bindings::dlpack
