#include "rigcast/core/files/metadata.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "rigcast/core/error.h"

namespace rigcast {
namespace {

using Json = nlohmann::json;

/// The entry of a JSON object, or null if there is none. `object` may be null.
const Json* find(const void* object, const std::string& key) {
    if (object == nullptr) return nullptr;
    const Json& entries = *static_cast<const Json*>(object);
    const auto found = entries.find(key);
    return found == entries.end() ? nullptr : &*found;
}

/// Throws ArgumentError unless `good`: the entry is missing or of another type.
void require(bool good, const Json* entry, const std::string& place, const std::string& type,
             const std::string& expected) {
    if (!good) throw bad_argument("load", place, entry == nullptr ? "missing" : type, expected);
}

/// A list whose elements all satisfy `is_element`.
template <class Is>
const Json& list(const Json* entry, const std::string& place, const std::string& expected, const Is& is_element) {
    bool good = entry != nullptr && entry->is_array();
    if (good) good = std::all_of(entry->begin(), entry->end(), is_element);
    require(good, entry, place, "not " + expected, expected);
    return *entry;
}

}  // namespace

int json_depth(std::string_view text) {
    int depth = 0;
    int deepest = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') quoted = !quoted;
        if (quoted) {
            if (c == '\\') ++i;
        } else if (c == '[' || c == '{') {
            deepest = std::max(deepest, ++depth);
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return deepest;
}

Metadata::Metadata(const std::string& json, const std::string& function, const std::string& argument) {
    if (json_depth(json) > max_depth) {
        throw bad_argument(function, argument, "nested more than " + std::to_string(max_depth) + " levels deep",
                           "at most " + std::to_string(max_depth) + " levels deep");
    }
    auto tree = std::make_shared<const Json>(Json::parse(json, nullptr, false));
    if (!tree->is_object()) throw bad_argument(function, argument, "no JSON object", "the text of a JSON object");
    object_ = std::move(tree);
}

bool Metadata::contains(const std::string& key) const {
    return find(object_.get(), key) != nullptr;
}

double Metadata::number(const std::string& key) const {
    const Json* entry = find(object_.get(), key);
    require(entry != nullptr && entry->is_number(), entry, place_ + "." + key, "no number", "a number");
    return entry->get<double>();
}

std::string Metadata::text(const std::string& key) const {
    const Json* entry = find(object_.get(), key);
    require(entry != nullptr && entry->is_string(), entry, place_ + "." + key, "not a text", "a text");
    return entry->get<std::string>();
}

std::int64_t Metadata::integer(const std::string& key) const {
    const double value = number(key);
    if (value != std::floor(value) || std::abs(value) > 0x1p53) {
        throw bad_argument("load", place_ + "." + key, std::to_string(value), "a whole number");
    }
    return static_cast<std::int64_t>(value);
}

bool Metadata::flag(const std::string& key) const {
    const Json* entry = find(object_.get(), key);
    require(entry != nullptr && entry->is_boolean(), entry, place_ + "." + key, "something else", "true or false");
    return entry->get<bool>();
}

std::vector<std::string> Metadata::names(const std::string& key) const {
    const auto is_text = [](const Json& element) { return element.is_string(); };
    const Json& found = list(find(object_.get(), key), place_ + "." + key, "a list of names", is_text);
    return found.get<std::vector<std::string>>();
}

std::vector<double> Metadata::numbers(const std::string& key) const {
    return list(find(object_.get(), key), place_ + "." + key, "a list of numbers",
                [](const Json& x) { return x.is_number(); })
        .get<std::vector<double>>();
}

bool Metadata::is_number(const std::string& key) const {
    const Json* entry = find(object_.get(), key);
    return entry != nullptr && entry->is_number();
}

Metadata Metadata::object(const std::string& key) const {
    const Json* entry = find(object_.get(), key);
    require(entry != nullptr && entry->is_object(), entry, place_ + "." + key, "no object", "an object");
    Metadata result;
    result.object_ = std::shared_ptr<const void>(object_, entry);
    result.place_ = place_ + "." + key;
    return result;
}

std::vector<Metadata> Metadata::objects(const std::string& key) const {
    const std::string place = place_ + "." + key;
    const auto is_object = [](const Json& element) { return element.is_object(); };
    std::vector<Metadata> result;
    for (const Json& element : list(find(object_.get(), key), place, "a list of objects", is_object)) {
        Metadata one;
        one.object_ = std::shared_ptr<const void>(object_, &element);  // keeps the whole tree
        one.place_ = place + "[" + std::to_string(result.size()) + "]";
        result.push_back(std::move(one));
    }
    return result;
}

bool Metadata::is_null(const std::string& key) const {
    const Json* entry = find(object_.get(), key);
    return entry != nullptr && entry->is_null();
}

std::vector<std::string> Metadata::keys() const {
    std::vector<std::string> names;
    if (object_ == nullptr) return names;
    for (const auto& [key, entry] : static_cast<const Json*>(object_.get())->items()) names.push_back(key);
    return names;
}

std::string Metadata::renamed(const std::string& key, const std::string& new_key) const {
    Json object = object_ == nullptr ? Json::object() : *static_cast<const Json*>(object_.get());
    const auto entry = object.find(key);
    if (entry != object.end()) {
        object.emplace(new_key, *entry);
        object.erase(key);
    }
    return object.dump();
}

}  // namespace rigcast
