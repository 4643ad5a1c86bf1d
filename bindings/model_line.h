#pragma once
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rigwright::bindings {

/// A count with its noun: "12,345 vertices", "1 joint", "" for 0.
inline std::string counted(std::int64_t count, const char* one, const char* many) {
    if (count == 0) return "";
    return pybind11::str("{:,} ").format(count).cast<std::string>() + (count == 1 ? one : many);
}

/// A model in one line, for __repr__: its class, its name if it has one, and all facts that are not empty.
inline std::string model_line(const pybind11::object& model, const std::vector<std::string>& facts) {
    std::string line = "<rigwright." + pybind11::type::of(model).attr("__name__").cast<std::string>();
    const pybind11::object name = model.attr("metadata").attr("get")("name", "");
    if (pybind11::bool_(name)) line += " " + pybind11::repr(name).cast<std::string>();
    const char* before = ": ";
    for (const std::string& fact : facts) {
        if (fact.empty()) continue;
        line += before + fact;
        before = ", ";
    }
    return line + ">";
}

}  // namespace rigwright::bindings
