#include "rigcast/core/files/tensor_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "rigcast/core/files/files.h"
#include "rigcast/core/files/metadata.h"

namespace rigcast {
namespace {

static_assert(std::endian::native == std::endian::little, "the file layout is little endian");

using Json = nlohmann::json;
constexpr int max_rank = 8;
constexpr std::int64_t max_extent = std::numeric_limits<std::int32_t>::max();
/// More elements than this have a size in bytes that int64 cannot represent.
constexpr std::int64_t max_elements = std::numeric_limits<std::int64_t>::max() / 4;
constexpr int max_header_depth = 4;  // header, tensor, shape, and one to spare

std::string shape_text(const std::int64_t* shape, std::size_t rank) {
    std::string text = "[";
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (axis) text += ", ";
        text += shape[axis] < 0 ? "any" : std::to_string(shape[axis]);
    }
    return text + "]";
}

const char* dtype_name(DType dtype) {
    return dtype == DType::f32 ? "F32" : "I32";
}

[[noreturn]] void refuse(const std::string& origin, const std::string& what, const std::string& must) {
    throw bad_argument("load", origin, what, must);
}

/// The number of elements of a shape, or -1 if an extent is not storable or there are more than `most`.
std::int64_t checked_count(const std::vector<std::int64_t>& shape, std::int64_t most) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) {
        if (extent < 0 || extent > max_extent) return -1;
        if (extent == 0) count = 0;
    }
    for (const std::int64_t extent : shape) {
        if (count != 0 && count > most / extent) return -1;
        count *= extent;
    }
    return count;
}

Json parse_header(std::span<const std::byte> text, const std::string& origin) {
    const char* begin = reinterpret_cast<const char*>(text.data());
    if (json_depth({begin, text.size()}) > max_header_depth) {
        refuse(origin, "a file with a deeply nested header", "a safetensors file");
    }
    Json header = Json::parse(begin, begin + text.size(), nullptr, false);
    if (header.is_discarded() || !header.is_object()) {
        refuse(origin, "a file whose header is not a JSON object", "a safetensors file");
    }
    return header;
}

/// The bytes [begin, end) of the data.
struct Span {
    std::uint64_t begin;
    std::uint64_t end;
};

Span parse_offsets(const Json& item, const std::string& origin, const std::string& name) {
    const auto found = item.find("data_offsets");
    if (found == item.end() || !found->is_array() || found->size() != 2 || !(*found)[0].is_number_unsigned() ||
        !(*found)[1].is_number_unsigned()) {
        refuse(origin, "a file with tensor '" + name + "' without data_offsets", "two unsigned offsets");
    }
    return {(*found)[0].get<std::uint64_t>(), (*found)[1].get<std::uint64_t>()};
}

std::vector<std::int64_t> parse_shape(const Json& item, const std::string& origin, const std::string& name) {
    const auto found = item.find("shape");
    bool good = found != item.end() && found->is_array() && found->size() <= max_rank;
    std::vector<std::int64_t> shape;
    if (good) {
        for (const Json& extent : *found) {
            good = good && extent.is_number_unsigned() &&
                   extent.get<std::uint64_t>() <= static_cast<std::uint64_t>(max_extent);
            if (good) shape.push_back(extent.get<std::int64_t>());
        }
    }
    if (!good) refuse(origin, "a file with tensor '" + name + "' without a usable shape", "unsigned sizes");
    return shape;
}

DType parse_dtype(const Json& item, const std::string& origin, const std::string& name) {
    const auto found = item.find("dtype");
    if (found != item.end() && *found == "F32") return DType::f32;
    if (found != item.end() && *found == "I32") return DType::i32;
    refuse(origin, "a file with tensor '" + name + "' of an unknown dtype", "F32 or I32");
}

/// Throws ArgumentError unless the spans fill `size` bytes without gaps or overlaps.
void check_cover(std::vector<Span> spans, std::uint64_t size, const std::string& origin) {
    std::sort(spans.begin(), spans.end(),
              [](const Span& a, const Span& b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
    std::uint64_t covered = 0;
    for (const Span& span : spans) {
        if (span.begin != covered) refuse(origin, "a file with gaps or overlaps", "tensors side by side");
        covered = span.end;
    }
    if (covered != size) refuse(origin, "a file with left-over bytes", "tensors to its end");
}

/// Bytes of a tensor whose shape has been checked.
std::uint64_t byte_size(const std::vector<std::int64_t>& shape) {
    return static_cast<std::uint64_t>(checked_count(shape, max_elements)) * 4;
}

}  // namespace

TensorFile TensorFile::parse(std::span<const std::byte> bytes, const std::string& origin) {
    TensorFile file;
    file.origin_ = origin;
    std::uint64_t header_size = 0;
    if (bytes.size() < sizeof(header_size)) {
        refuse(origin, std::to_string(bytes.size()) + " bytes long", "a safetensors file");
    }
    std::memcpy(&header_size, bytes.data(), sizeof(header_size));
    const std::span<const std::byte> rest = bytes.subspan(sizeof(header_size));
    if (header_size > rest.size()) {
        refuse(origin, "a file that ends inside its header", "a complete safetensors file");
    }
    const std::span<const std::byte> data = rest.subspan(header_size);
    if (data.size() % bytes_per_element != 0)
        refuse(origin, "a file of incomplete elements", "a multiple of 4 data bytes");
    const Json header = parse_header(rest.first(header_size), origin);

    std::vector<Span> spans;
    for (const auto& [name, item] : header.items()) {
        if (!item.is_object()) refuse(origin, "a file with '" + name + "' that is no object", "a tensor");
        if (name == "__metadata__") {
            const auto text = item.find("rigcast");
            if (text != item.end() && text->is_string()) file.metadata_text_ = text->get<std::string>();
            if (file.metadata_text_.empty()) continue;
            file.metadata_ = Metadata(file.metadata_text_, "load", origin + ": metadata");
            continue;
        }
        Entry entry{parse_dtype(item, origin, name), parse_shape(item, origin, name), 0};
        const Span span = parse_offsets(item, origin, name);
        const std::int64_t count =
            checked_count(entry.shape, static_cast<std::int64_t>(data.size() / bytes_per_element));
        if (count < 0 || span.end > data.size() || span.begin > span.end || span.begin % bytes_per_element != 0 ||
            span.end - span.begin != static_cast<std::uint64_t>(count) * bytes_per_element) {
            refuse(origin, "a file whose tensor '" + name + "' does not fit its bytes",
                   "offsets inside the file that match the shape");
        }
        entry.offset = span.begin / bytes_per_element;
        spans.push_back(span);
        file.entries_.emplace(name, std::move(entry));
    }
    check_cover(std::move(spans), data.size(), origin);
    file.data_.assign(data.begin(), data.end());
    return file;
}

TensorFile TensorFile::read(const std::string& path) {
    return parse(read_file("load", path), path);
}

void TensorFile::set_metadata(std::string text, const std::string& function) {
    metadata_ = Metadata(text, function, "metadata");
    metadata_text_ = std::move(text);
}

void TensorFile::add(const std::string& name, DType dtype, std::vector<std::int64_t> shape, const void* data) {
    const std::int64_t count = checked_count(shape, max_elements);
    if (count < 0 || shape.size() > max_rank) {
        throw bad_argument("TensorFile.add", name, shape_text(shape.data(), shape.size()), "of a storable size");
    }
    if (contains(name) || name == "__metadata__") throw bad_argument("TensorFile.add", name, "a name in use", "new");
    const std::size_t offset = data_.size() / bytes_per_element;
    const std::byte* bytes = static_cast<const std::byte*>(data);
    if (count > 0) data_.insert(data_.end(), bytes, bytes + static_cast<std::size_t>(count) * bytes_per_element);
    entries_.emplace(name, Entry{dtype, std::move(shape), offset});
}

const TensorFile::Entry& TensorFile::find(const std::string& name, DType dtype, int rank) const {
    const auto found = entries_.find(name);
    if (found == entries_.end()) refuse(origin_, "a model without tensor '" + name + "'", "complete");
    const Entry& entry = found->second;
    if (entry.dtype != dtype || static_cast<int>(entry.shape.size()) != rank) {
        throw bad_argument("load", origin_ + ": " + name, describe(entry),
                           std::string(dtype_name(dtype)) + " with " + std::to_string(rank) + " axes");
    }
    return entry;
}

void TensorFile::refuse_shape(const std::string& name, const std::int64_t* shape, int rank) const {
    const Entry& entry = entries_.at(name);
    throw bad_argument("load", origin_ + ": " + name, describe(entry),
                       dtype_name(entry.dtype) + shape_text(shape, rank));
}

std::string TensorFile::describe(const Entry& entry) {
    return dtype_name(entry.dtype) + shape_text(entry.shape.data(), entry.shape.size());
}

std::vector<std::byte> TensorFile::serialize() const {
    Json header = Json::object();  // keys are kept sorted, so the same tensors give the same bytes
    header["__metadata__"] = {{"rigcast", metadata_text_}};
    std::uint64_t position = 0;
    for (const auto& [name, entry] : entries_) {
        const std::uint64_t size = byte_size(entry.shape);
        header[name] = {
            {"dtype", dtype_name(entry.dtype)}, {"shape", entry.shape}, {"data_offsets", {position, position + size}}};
        position += size;
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t header_size = text.size();
    std::vector<std::byte> bytes(sizeof(header_size) + text.size() + position);
    std::byte* out = bytes.data();
    std::memcpy(out, &header_size, sizeof(header_size));
    std::memcpy(out + sizeof(header_size), text.data(), text.size());
    out += sizeof(header_size) + text.size();
    for (const auto& [name, entry] : entries_) {
        const std::size_t size = byte_size(entry.shape);
        if (size > 0) std::memcpy(out, data_.data() + entry.offset * bytes_per_element, size);
        out += size;
    }
    return bytes;
}

void TensorFile::write(const std::string& path) const {
    write_file("save", path, serialize());
}

}  // namespace rigcast
