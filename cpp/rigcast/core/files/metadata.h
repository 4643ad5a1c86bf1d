#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rigcast {

/// The depth of nested arrays and objects in a JSON text, found without parsing. Callers refuse deep texts before they
/// parse, because copies, comparisons and dumps of a parsed tree recurse and could overflow the stack. If the text is
/// not valid JSON, the result is at least the depth at which a parser finds the error.
int json_depth(std::string_view text);

/// The metadata of a model file: a JSON object with typed access, parsed once. Copies share the parsed tree.
///
/// Getters throw ArgumentError if the entry is missing or of another type; the text says which entry it is ("load:
/// metadata.step is no number; it must be a number"). Each object of a list is a Metadata:
///
///     for (const Metadata& channel : file.metadata().objects("channels")) {
///         names.push_back(channel.text("name"));  // errors say "metadata.channels[3].name"
///         if (channel.contains("whole")) whole.push_back(channel.flag("whole"));
///     }
class Metadata {
public:
    /// The largest allowed depth of nested arrays and objects; the object itself counts.
    static constexpr int max_depth = 32;

    /// No entries.
    Metadata() = default;
    /// Parses a JSON text. Throws ArgumentError, which names `function` and `argument`, unless it is an object of depth
    /// max_depth at most.
    Metadata(const std::string& json, const std::string& function, const std::string& argument);

    bool contains(const std::string& key) const;
    double number(const std::string& key) const;
    std::string text(const std::string& key) const;
    /// A whole number of magnitude at most 2^53.
    std::int64_t integer(const std::string& key) const;
    bool flag(const std::string& key) const;
    /// A list of strings.
    std::vector<std::string> names(const std::string& key) const;
    /// A list of numbers.
    std::vector<double> numbers(const std::string& key) const;
    /// Returns true if the entry is a number.
    bool is_number(const std::string& key) const;
    Metadata object(const std::string& key) const;
    std::vector<Metadata> objects(const std::string& key) const;
    /// Returns true if the entry exists and is null.
    bool is_null(const std::string& key) const;
    /// The names of all entries, ascending.
    std::vector<std::string> keys() const;
    /// The path of this object in the file, for error texts: "metadata.channels[3]".
    const std::string& place() const { return place_; }
    /// The object as JSON text, with the entry `key` renamed to `new_key`. If `new_key` exists already, it stays and
    /// `key` is dropped; if `key` does not exist, nothing changes.
    std::string renamed(const std::string& key, const std::string& new_key) const;

private:
    std::shared_ptr<const void> object_;  // a JSON object of the tree; null: no entries
    std::string place_ = "metadata";
};

}  // namespace rigcast
