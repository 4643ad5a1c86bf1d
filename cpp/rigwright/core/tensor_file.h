#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "rigwright/core/aligned.h"
#include "rigwright/core/error.h"
#include "rigwright/core/metadata.h"
#include "rigwright/core/view.h"

namespace rigwright {

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

/// Named float32 and int32 arrays with a text of metadata, stored in the safetensors layout:
/// 8 bytes header length (little endian), a JSON header, the data. Parsing runs no code, checks every size
/// before it allocates, and refuses overlapping, misaligned, unknown or left-over bytes. Immutable once
/// shared.
class TensorFile {
public:
    struct Entry {
        DType dtype;
        std::vector<std::int64_t> shape;
        std::size_t offset;  // in elements from the start of the data
    };

    /// Reads a file. Throws ArgumentError naming the file and what is wrong with it.
    static TensorFile read(const std::string& path);
    /// Parses the bytes of a file; `origin` names them in errors.
    static TensorFile parse(std::span<const std::byte> bytes, const std::string& origin);

    /// Adds a tensor (copied). The name must be new.
    template <class T>
    void add(const std::string& name, std::vector<std::int64_t> shape, const T* data) {
        add(name, dtype_of<T>(), std::move(shape), data);
    }
    /// Adds a tensor of another file under a name.
    void add(const std::string& name, const TensorFile& source, const Entry& entry) {
        add(name, entry.dtype, entry.shape, source.data<std::byte>(entry));
    }
    /// Sets the text under the metadata key "rigwright". Throws ArgumentError, which names `function`, if Metadata
    /// refuses it.
    void set_metadata(std::string text, const std::string& function = "TensorFile.set_metadata");

    /// The text under the metadata key "rigwright"; empty if there is none.
    const std::string& metadata_text() const { return metadata_text_; }
    /// What it says, parsed when it was set or read.
    const Metadata& metadata() const { return metadata_; }
    const std::map<std::string, Entry>& entries() const { return entries_; }
    bool contains(const std::string& name) const { return entries_.count(name) != 0; }
    /// Where the tensors came from, for error texts.
    const std::string& origin() const { return origin_; }

    /// A tensor of type T and rank Rank. Throws ArgumentError if it is missing or of another type or rank.
    template <class T, int Rank>
    View<const T, Rank> get(const std::string& name) const {
        const Entry& entry = find(name, dtype_of<T>(), Rank);
        typename View<const T, Rank>::Extents extents;
        for (int axis = 0; axis < Rank; ++axis) extents[axis] = entry.shape[axis];
        return {data<T>(entry), extents};
    }
    /// The same, with its shape fixed: -1 leaves an extent open.
    template <class T, int Rank>
    View<const T, Rank> get(const std::string& name, const std::array<std::int64_t, Rank>& shape) const {
        const View<const T, Rank> view = get<T, Rank>(name);
        for (int axis = 0; axis < Rank; ++axis) {
            if (shape[axis] >= 0 && shape[axis] != view.extent(axis)) refuse_shape(name, shape.data(), Rank);
        }
        return view;
    }

    /// First element of an entry whose type is T.
    template <class T = float>
    const T* data(const Entry& entry) const {
        return reinterpret_cast<const T*>(data_.data() + entry.offset * width);
    }

    /// The bytes of a safetensors file; the same tensors give the same bytes.
    std::vector<std::byte> serialize() const;
    /// Writes atomically; see write_file.
    void write(const std::string& path) const;

    /// "F32[12, 4]"
    static std::string describe(const Entry& entry);

private:
    static constexpr std::size_t width = 4;  // bytes of every supported element

    void add(const std::string& name, DType dtype, std::vector<std::int64_t> shape, const void* data);
    const Entry& find(const std::string& name, DType dtype, int rank) const;
    [[noreturn]] void refuse_shape(const std::string& name, const std::int64_t* shape, int rank) const;

    std::string origin_ = "model";
    std::string metadata_text_;
    Metadata metadata_;
    std::map<std::string, Entry> entries_;
    LineVector<std::byte> data_;
};

}  // namespace rigwright
