#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rigwright {

/// What a model file says of itself: a JSON object with typed access, parsed once. Copies share the tree.
///
/// Getters throw ArgumentError with the place of what is wrong ("load: metadata.step is no number; it must be a
/// number"). Entries that are lists of objects are read as Metadata of their own:
///
///     for (const Metadata& channel : file.metadata().objects("channels")) {
///         names.push_back(channel.text("name"));  // errors say "metadata.channels[3].name"
///         if (channel.contains("whole")) whole.push_back(channel.flag("whole"));
///     }
class Metadata {
public:
    /// Levels of arrays and objects that a text may have; the object itself is the first one.
    static constexpr int max_depth = 32;

    /// No entries.
    Metadata() = default;
    /// Throws ArgumentError, which names `function` and `argument`, unless the text is a JSON object of at most
    /// max_depth levels.
    Metadata(const std::string& json, const std::string& function, const std::string& argument);

    bool contains(const std::string& key) const;
    /// The entry `key`. Throws ArgumentError if it is missing or of another type.
    double number(const std::string& key) const;
    std::string text(const std::string& key) const;
    /// A whole number of at most 53 bits.
    std::int64_t integer(const std::string& key) const;
    bool flag(const std::string& key) const;
    std::vector<std::string> names(const std::string& key) const;
    Metadata object(const std::string& key) const;
    std::vector<Metadata> objects(const std::string& key) const;
    /// Whether the entry is there and null.
    bool is_null(const std::string& key) const;
    /// The names of all entries, ascending.
    std::vector<std::string> keys() const;
    /// Where the object stands, for error texts: "metadata.channels[3]".
    const std::string& place() const { return place_; }
    /// The object as text, with the entry `key` under the name `now` unless that is taken; as it is if there is none.
    std::string renamed(const std::string& key, const std::string& now) const;

private:
    std::shared_ptr<const void> object_;  // a JSON object of the tree; null: no entries
    std::string place_ = "metadata";
};

}  // namespace rigwright
