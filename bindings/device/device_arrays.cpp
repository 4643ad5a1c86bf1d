#include "bindings/device/device_arrays.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bindings/device/dlpack.h"
#include "rigcast/core/error.h"

namespace rigcast::bindings {
namespace {

using cuda::DeviceArray;

/// What errors name.
struct Asked {
    const char* function;
    const char* argument;
    const char* must;

    ArgumentError refuse(const std::string& got) const { return bad_argument(function, argument, got, must); }
};

/// An imported array before it is checked.
struct Found {
    void* data;
    std::vector<std::int64_t> shape;
    int float_bits;  // 32 or 16; 0 for other types
    std::string type;
    bool is_contiguous;
    py::object owner;
};

bool is_contiguous(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides,
                   std::int64_t item) {
    if (strides.size() != shape.size()) return false;
    std::int64_t expected = item;
    for (std::size_t axis = shape.size(); axis-- > 0; expected *= shape[axis]) {
        if (shape[axis] > 1 && strides[axis] != expected) return false;
    }
    return true;
}

/// Refuses arrays that are not contiguous, overflow, or lie elsewhere. Returns the number of elements.
std::int64_t check_memory(const Asked& asked, const Found& found) {
    if (!found.is_contiguous) throw asked.refuse("on the device, not contiguous");
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(float));
    std::int64_t size = 1;
    for (const std::int64_t extent : found.shape) {
        if (extent >= 0 && (extent == 0 || size <= most / extent)) {
            size *= extent;
            continue;
        }
        const py::str shape(py::tuple(py::cast(found.shape)));
        throw asked.refuse("on the device, of shape " + shape.cast<std::string>());
    }
    if (size > 0 && !cuda::is_device_memory(found.data)) throw asked.refuse("not memory of the first device");
    return size;
}

void release(dlpack::ManagedTensor* managed) {
    if (managed->deleter) managed->deleter(managed);
}

/// Takes the tensor out of another library's capsule. The result owns it.
py::capsule adopt(py::capsule capsule) {
    auto* managed = capsule.get_pointer<dlpack::ManagedTensor>();
    capsule.set_name(dlpack::used_name);
    return py::capsule(managed, [](void* pointer) { release(static_cast<dlpack::ManagedTensor*>(pointer)); });
}

Found from_dlpack(const Asked& asked, const py::object& object) {
    // Stream 1, the legacy default stream: the producer orders its work before it, and we wait for it.
    const bool on_gpu = cuda::dlpack_device_type() == 2;
    const py::object given =
        dlpack::foreign(asked.function, asked.argument, "__dlpack__", asked.must, [&]() -> py::object {
            return on_gpu ? object.attr("__dlpack__")(py::arg("stream") = 1) : object.attr("__dlpack__")();
        });
    if (!PyCapsule_IsValid(given.ptr(), dlpack::name)) {
        throw asked.refuse("an object whose __dlpack__ gives no DLPack capsule");
    }
    py::capsule owner = adopt(py::reinterpret_borrow<py::capsule>(given));
    const dlpack::Tensor& tensor = owner.get_pointer<dlpack::ManagedTensor>()->tensor;
    const bool is_float = tensor.dtype.code == dlpack::float_code && tensor.dtype.lanes == 1 &&
                          (tensor.dtype.bits == 32 || tensor.dtype.bits == 16);
    Found found{static_cast<char*>(tensor.data) + tensor.byte_offset,
                {tensor.shape, tensor.shape + tensor.ndim},
                is_float ? tensor.dtype.bits : 0,
                dlpack::name_of(tensor.dtype),
                true,
                owner};
    if (tensor.strides) {
        found.is_contiguous = is_contiguous(found.shape, {tensor.strides, tensor.strides + tensor.ndim}, 1);
    }
    if (on_gpu) cuda::wait_for_stream(1);
    return found;
}

Found read_cuda_array_interface(const Asked& asked, const py::object& object) {
    const py::dict entries = object.attr("__cuda_array_interface__");
    const auto entry = [&](const char* key) -> py::object {
        return entries.contains(key) ? py::object(entries[key]) : py::none();
    };
    const auto address = entries["data"].cast<py::tuple>()[0].cast<std::uintptr_t>();
    const auto type = entries["typestr"].cast<std::string>();
    Found found{reinterpret_cast<void*>(address),
                entries["shape"].cast<std::vector<std::int64_t>>(),
                type == "<f4"   ? 32
                : type == "<f2" ? 16
                                : 0,
                "'" + type + "'",
                true,
                object};
    if (!entry("strides").is_none()) {
        found.is_contiguous = is_contiguous(found.shape, entry("strides").cast<std::vector<std::int64_t>>(),
                                            std::max(found.float_bits / 8, 1));
    }
    if (!entry("mask").is_none()) throw asked.refuse("masked");
    // No stream: in version 3 the array is complete, in earlier versions the default stream is the best guess.
    const bool complete = entry("stream").is_none() && entry("version").cast<int>() >= 3;
    if (!complete) cuda::wait_for_stream(entry("stream").is_none() ? 1 : entry("stream").cast<std::uintptr_t>());
    return found;
}

/// Missing keys and values of wrong types are errors of the object: ArgumentError.
Found from_cuda_array_interface(const Asked& asked, const py::object& object) {
    const char* what = "an object whose __cuda_array_interface__ is malformed";
    try {
        return read_cuda_array_interface(asked, object);
    } catch (const py::cast_error&) {
        throw asked.refuse(what);
    } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_KeyError) && !error.matches(PyExc_TypeError) && !error.matches(PyExc_IndexError))
            throw;
        throw asked.refuse(what);
    }
}

/// Returns true if an object with DLPack is on our device. Throws ArgumentError if it is on another one: the array's
/// library might copy it to the host without a word.
bool is_ours(const Asked& asked, const py::object& object) {
    const dlpack::Device device = dlpack::device_of(asked.function, asked.argument, object, asked.must);
    const bool on_gpu = cuda::dlpack_device_type() == 2;
    if (device.type == cuda::dlpack_device_type() || (on_gpu && device.type == dlpack::cuda_managed)) {
        if (device.id == 0) return true;
        throw asked.refuse("on device " + std::to_string(device.id));
    }
    if (device.type == 0 || dlpack::is_host(device.type)) return false;
    throw asked.refuse("on a device of DLPack's type " + std::to_string(device.type));
}

/// An array on our device; nothing for other objects.
std::optional<Found> find(const Asked& asked, const py::object& object) {
    if (py::isinstance<py::array>(object)) return std::nullopt;
    if (is_ours(asked, object)) return from_dlpack(asked, object);
    if (!py::hasattr(object, "__cuda_array_interface__")) return std::nullopt;
    return from_cuda_array_interface(asked, object);
}

py::capsule to_dlpack(const DeviceArray& array, const py::object& device, const py::object& copy) {
    if (PyObject_IsTrue(copy.ptr()) == 1) throw py::buffer_error("rigcast shares the array, it makes no copy");
    const auto own = py::make_tuple(cuda::dlpack_device_type(), 0);
    if (!device.is_none() && !py::tuple(device).equal(own)) {
        throw py::buffer_error("the array stays on the device that it is on");
    }
    struct Shared {
        DeviceArray array;
        dlpack::ManagedTensor managed;
    };
    auto shared = std::make_unique<Shared>(Shared{array, {}});
    shared->managed.tensor = {shared->array.data.get(),
                              {cuda::dlpack_device_type(), 0},
                              static_cast<std::int32_t>(array.shape.size()),
                              {dlpack::float_code, 32, 1},
                              shared->array.shape.data(),
                              nullptr,
                              0};
    shared->managed.manager = shared.get();
    shared->managed.deleter = [](dlpack::ManagedTensor* self) { delete static_cast<Shared*>(self->manager); };
    PyObject* capsule = PyCapsule_New(&shared->managed, dlpack::name, [](PyObject* self) {
        if (!PyCapsule_IsValid(self, dlpack::name)) return;  // a consumer owns it now
        release(static_cast<dlpack::ManagedTensor*>(PyCapsule_GetPointer(self, dlpack::name)));
    });
    if (!capsule) throw py::error_already_set();
    shared.release();  // the capsule owns it now
    return py::reinterpret_steal<py::capsule>(capsule);
}

py::dict cuda_array_interface(const DeviceArray& array) {
    py::dict entries;
    entries["version"] = 3;
    entries["shape"] = py::tuple(py::cast(array.shape));
    entries["typestr"] = "<f4";
    entries["data"] = py::make_tuple(reinterpret_cast<std::uintptr_t>(array.data.get()), false);
    entries["strides"] = py::none();
    entries["stream"] = py::none();  // complete: no stream to wait for
    return entries;
}

}  // namespace

std::optional<DeviceInput> as_device_input(const char* function, const char* argument, const py::object& object) {
    const Asked asked{function, argument, "contiguous float32 (T, C) or (C,) on the first device"};
    std::optional<Found> found = find(asked, object);
    if (!found) return std::nullopt;
    const std::size_t axes = found->shape.size();
    if (found->float_bits != 32) throw asked.refuse("on the device, of type " + found->type);
    if (axes != 1 && axes != 2) throw asked.refuse("on the device, with " + std::to_string(axes) + " axes");
    check_memory(asked, *found);
    const std::int64_t rows = axes == 2 ? found->shape[0] : 1;
    return DeviceInput({static_cast<const float*>(found->data), rows, found->shape[axes - 1]}, axes == 1,
                       std::move(found->owner));
}

std::optional<DeviceShot> as_device_shot(const char* function, const char* argument, const py::object& object) {
    const Asked asked{function, argument, "contiguous float32 or float16 (T, V, 3) or (V, 3) on the first device"};
    std::optional<Found> found = find(asked, object);
    if (!found) return std::nullopt;
    const std::size_t axes = found->shape.size();
    if (found->float_bits == 0) throw asked.refuse("on the device, of type " + found->type);
    if (axes != 2 && axes != 3) throw asked.refuse("on the device, with " + std::to_string(axes) + " axes");
    if (found->shape[axes - 1] != 3) {
        throw asked.refuse("on the device, with rows of " + std::to_string(found->shape[axes - 1]) + " numbers");
    }
    check_memory(asked, *found);
    return DeviceShot(
        {found->data, axes == 3 ? found->shape[0] : 1, found->shape[axes - 2], found->float_bits == 16, true},
        std::move(found->owner));
}

void bind_device_array(py::module_& module) {
    py::class_<DeviceArray>(
        module, "DeviceArray", py::module_local(),
        "A contiguous float32 array in device memory, complete: read it in any stream. Consumers of\n"
        "DLPack (torch.from_dlpack, cupy.from_dlpack, jax.dlpack.from_dlpack) and of\n"
        "__cuda_array_interface__ share its memory, which lives as long as any of them.")
        .def_property_readonly("shape", [](const DeviceArray& a) { return py::tuple(py::cast(a.shape)); })
        .def_property_readonly("dtype", [](const DeviceArray&) { return py::dtype::of<float>(); })
        .def(
            "__dlpack__",
            [](const DeviceArray& a, const py::object&, const py::object&, const py::object& device,
               const py::object& copy) { return to_dlpack(a, device, copy); },
            py::kw_only(), py::arg("stream") = py::none(), py::arg("max_version") = py::none(),
            py::arg("dl_device") = py::none(), py::arg("copy") = py::none(),
            "A DLPack capsule. The array is complete, so any `stream` may read it at once.")
        .def("__dlpack_device__", [](const DeviceArray&) { return py::make_tuple(cuda::dlpack_device_type(), 0); })
        .def_property_readonly("__cuda_array_interface__", &cuda_array_interface)
        .def("__repr__", [](const DeviceArray& a) {
            return "<rigcast.DeviceArray " + py::str(py::tuple(py::cast(a.shape))).cast<std::string>() + " float32>";
        });
}

}  // namespace rigcast::bindings
