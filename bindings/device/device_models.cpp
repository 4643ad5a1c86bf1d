#include "bindings/device/device_models.h"

#include <map>
#include <mutex>
#include <thread>

#include "bindings/convert/arguments.h"
#include "rigcast/core/error.h"

namespace rigcast::bindings {
namespace {

/// A factory, and the models that it has made: a WeakKeyDictionary from Deformers.
struct Device {
    py::object factory;
    py::object models;
};

/// All devices, by name. The GIL guards the map; who makes a model holds the lock, so that each is copied once.
struct DeviceRegistry {
    std::map<std::string, Device> devices;
    std::mutex turn;
    std::thread::id maker;  // the thread that holds the lock, guarded by the GIL
};

/// While it lives, this thread is the one that makes a model.
class Making {
public:
    explicit Making(DeviceRegistry& registry) : registry_(registry) { registry.maker = std::this_thread::get_id(); }
    ~Making() { registry_.maker = {}; }
    Making(const Making&) = delete;
    Making& operator=(const Making&) = delete;

private:
    DeviceRegistry& registry_;
};

DeviceRegistry& device_registry() {
    static auto* const registry = new DeviceRegistry;  // never destroyed: Python ends before static objects do
    return *registry;
}

DeviceFactory set_device_factory(const std::string& device, const DeviceFactory& factory) {
    auto& devices = device_registry().devices;
    py::object previous = py::none();
    if (const auto found = devices.find(device); found != devices.end()) {
        previous = found->second.factory;
        const Device old = std::move(found->second);  // its models are freed when the map is complete again
        devices.erase(found);
    }
    if (!factory.is_none()) {
        devices[device] = {factory, py::module_::import("weakref").attr("WeakKeyDictionary")()};
    }
    return previous;
}

/// The copy that was made before, or None.
py::object find_device_model(const py::object& model, const std::string& device) {
    const auto& devices = device_registry().devices;
    const auto found = devices.find(device);
    return found == devices.end() ? py::none() : py::object(found->second.models.attr("get")(model));
}

}  // namespace

py::object device_model(const char* function, const py::object& model, const std::string& device) {
    if (device == "cpu")
        throw bad_argument(function, "device", "'cpu'", "another device: evaluate returns vertices on the CPU");
    py::object made = find_device_model(model, device);
    if (!made.is_none()) return made;  // without waiting for other models
    DeviceRegistry& registry = device_registry();
    if (registry.maker == std::this_thread::get_id()) {  // it would wait for itself
        throw bad_argument(function, "model", "not on the device yet inside of a device's factory",
                           "one that is copied before, or evaluated on the CPU");
    }
    std::unique_lock lock(registry.turn, std::defer_lock);
    {
        const py::gil_scoped_release released;  // the owner of the lock may wait for the GIL
        lock.lock();
    }
    const Making making(registry);
    made = find_device_model(model, device);  // another thread may have made it meanwhile
    if (!made.is_none()) return made;
    py::module_::import("rigcast._device_report").attr("check_device")(function, device);
    const Device known = registry.devices.at(device);  // the extension, which is loaded now, has registered it
    made = known.factory(model, function);
    known.models.attr("__setitem__")(model, made);
    return made;
}

void bind_device_models(py::module_& module) {
    module.def("set_device_factory", &set_device_factory, py::arg("device"), py::arg("factory"),
               "Register what copies models to a device, and return what did before, or None. The factory takes a\n"
               "model and the name of the function that errors name; None removes it. Copies live as long as their\n"
               "models, and are made anew by a new factory.");
    module.def(
        "device_model",
        [](const py::object& model, const std::string& device, const std::string& function) {
            return ResidentModelResult(device_model(function.c_str(), model, device));
        },
        py::arg("model"), py::arg("device"), py::arg("function"),
        "The copy of a model on a device, made by the first call. ValueError, which names the function, if the\n"
        "device is the CPU, is unknown, does not work here, or does not evaluate models of this kind.");
}

}  // namespace rigcast::bindings
