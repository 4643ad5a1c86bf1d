#pragma once
#include <pybind11/pybind11.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rigcast::bindings {

/// A count with its noun: "12,345 vertices", "1 joint", "" for 0.
inline std::string counted(std::int64_t count, const char* one, const char* many) {
    if (count == 0) return "";
    return pybind11::str("{:,} ").format(count).cast<std::string>() + (count == 1 ? one : many);
}

/// A model in one line, for __repr__: its class, its name if it has one, and all facts that are not empty.
inline std::string model_line(const pybind11::object& model, const std::vector<std::string>& facts) {
    std::string line = "<rigcast." + pybind11::type::of(model).attr("__name__").cast<std::string>();
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

/// The same as an HTML table, for notebooks: what __repr__ says, one fact per row.
inline std::string model_table(const pybind11::object& model) {
    const auto line = pybind11::repr(model).cast<std::string>();
    const auto escaped = [](const std::string& text) {
        return pybind11::module_::import("html").attr("escape")(text).cast<std::string>();
    };
    const auto kind = pybind11::type::of(model).attr("__name__").cast<std::string>();
    const pybind11::dict metadata = model.attr("metadata");
    std::string rows;
    const auto row = [&](const std::string& name, const std::string& value) {
        if (!value.empty()) rows += "<tr><td>" + name + "</td><td>" + escaped(value) + "</td></tr>";
    };
    for (const char* key : {"name", "licence", "origin"}) {
        row(key, pybind11::str(metadata.attr("get")(key, "")).cast<std::string>());
    }
    const std::size_t facts = line.rfind(": ");
    if (facts != std::string::npos) row("holds", line.substr(facts + 2, line.size() - facts - 3));
    row("unit", pybind11::str("{:g} m, {} up").format(model.attr("meters_per_unit"), model.attr("up_axis")));
    return "<table><caption>rigcast." + kind + "</caption>" + rows + "</table>";
}

}  // namespace rigcast::bindings
