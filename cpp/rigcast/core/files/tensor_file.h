#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "rigcast/core/aligned.h"
#include "rigcast/core/error.h"
#include "rigcast/core/files/metadata.h"
#include "rigcast/core/view.h"

namespace rigcast {

enum class DType { f32, i32 };

template <class T>
constexpr DType dtype_of();
template <>
constexpr DType dtype_of<float>() {
    return DType::f32;
}
template <>
constexpr DType dtype_of<std::int32_t>() {
    return DType::i32;
}

/// Named float32 and int32 arrays and a metadata text: a model file in the safetensors layout (8 bytes header length,
/// little endian; a JSON header; the data).
/// Guarantee: parsing runs no code, checks every size before it allocates, and refuses overlapping, misaligned, unknown
/// or left-over bytes.
/// Const members are thread-safe; fill a file before you share it.
class TensorFile {
public:
    struct Entry {
        DType dtype;
        std::vector<std::int64_t> shape;
        std::size_t offset;  // elements before it in the data
    };

    /// Reads a file. Throws ArgumentError that names the file and what is wrong with it.
    static TensorFile read(const std::string& path);
    /// Parses the bytes of a file; `origin` names them in errors. Throws ArgumentError.
    static TensorFile parse(std::span<const std::byte> bytes, const std::string& origin);

    /// Adds a copy of an array. Throws ArgumentError if the name exists or the shape is not storable.
    template <class T>
    void add(const std::string& name, std::vector<std::int64_t> shape, const T* data) {
        add(name, dtype_of<T>(), std::move(shape), data);
    }
    /// Adds a copy of another file's tensor under the name `name`. Throws as above.
    void add(const std::string& name, const TensorFile& source, const Entry& entry) {
        add(name, entry.dtype, entry.shape, source.data<std::byte>(entry));
    }
    /// Sets the text under the metadata key "rigcast". Throws ArgumentError, which names `function`, if Metadata
    /// refuses it.
    void set_metadata(std::string text, const std::string& function = "TensorFile.set_metadata");

    /// The text under the metadata key "rigcast"; empty if there is none.
    const std::string& metadata_text() const { return metadata_text_; }
    /// The same text, parsed.
    const Metadata& metadata() const { return metadata_; }
    const std::map<std::string, Entry>& entries() const { return entries_; }
    bool contains(const std::string& name) const { return entries_.count(name) != 0; }
    /// The name of the file in error texts: the path that it was read from, or "model".
    const std::string& origin() const { return origin_; }

    /// A view of a tensor, valid as long as this file is not changed. Throws ArgumentError if it is missing or of
    /// another type or rank.
    template <class T, int Rank>
    View<const T, Rank> get(const std::string& name) const {
        const Entry& entry = find(name, dtype_of<T>(), Rank);
        typename View<const T, Rank>::Extents extents;
        for (int axis = 0; axis < Rank; ++axis) extents[axis] = entry.shape[axis];
        return {data<T>(entry), extents};
    }
    /// The same, and throws ArgumentError if the shape differs. An extent of -1 in `shape` allows any.
    template <class T, int Rank>
    View<const T, Rank> get(const std::string& name, const std::array<std::int64_t, Rank>& shape) const {
        const View<const T, Rank> view = get<T, Rank>(name);
        for (int axis = 0; axis < Rank; ++axis) {
            if (shape[axis] >= 0 && shape[axis] != view.extent(axis)) refuse_shape(name, shape.data(), Rank);
        }
        return view;
    }

    /// The first element of an entry, whose type must be T: unchecked.
    template <class T = float>
    const T* data(const Entry& entry) const {
        return reinterpret_cast<const T*>(data_.data() + entry.offset * bytes_per_element);
    }

    /// The bytes of a safetensors file. Guarantee: equal tensors and metadata give equal bytes.
    std::vector<std::byte> serialize() const;
    /// Writes atomically; see write_file.
    void write(const std::string& path) const;

    /// Type and shape as text: "F32[12, 4]".
    static std::string describe(const Entry& entry);

private:
    static constexpr std::size_t bytes_per_element = 4;  // of both types

    void add(const std::string& name, DType dtype, std::vector<std::int64_t> shape, const void* data);
    const Entry& find(const std::string& name, DType dtype, int rank) const;
    [[noreturn]] void refuse_shape(const std::string& name, const std::int64_t* shape, int rank) const;

    std::string origin_ = "model";
    std::string metadata_text_;
    Metadata metadata_;
    std::map<std::string, Entry> entries_;
    LineVector<std::byte> data_;
};

}  // namespace rigcast
