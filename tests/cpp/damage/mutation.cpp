#include "mutation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string>

namespace rigcast::checks {
namespace {

std::size_t below(std::mt19937_64& random, std::size_t limit) {
    return limit == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

/// The JSON text of the header and where the data begins; an empty text if there is no whole header.
std::string header_of(const Bytes& bytes) {
    std::uint64_t size = 0;
    if (bytes.size() < sizeof(size)) return {};
    std::memcpy(&size, bytes.data(), sizeof(size));
    if (size > bytes.size() - sizeof(size)) return {};
    return std::string(reinterpret_cast<const char*>(bytes.data()) + sizeof(size), size);
}

void replace_header(Bytes& bytes, std::size_t old_size, const std::string& header) {
    const std::uint64_t size = header.size();
    Bytes result(sizeof(size) + header.size());
    std::memcpy(result.data(), &size, sizeof(size));
    std::memcpy(result.data() + sizeof(size), header.data(), header.size());
    result.insert(result.end(), bytes.begin() + static_cast<std::ptrdiff_t>(sizeof(size) + old_size), bytes.end());
    bytes = std::move(result);
}

/// Another number in place of one of the header's.
void change_number(std::string& header, std::mt19937_64& random) {
    static const std::array<const char*, 12> values{
        "0", "1", "2", "3", "4", "-1", "1e3", "2147483647", "2147483648", "4294967296", "7", "18446744073709551615"};
    const std::size_t from = below(random, header.size());
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    const auto begin = std::find_if(header.begin() + static_cast<std::ptrdiff_t>(from), header.end(), digit);
    const auto end = std::find_if_not(begin, header.end(), digit);
    header.replace(begin, end, values[below(random, values.size())]);
}

/// A part of the header twice, or not at all, or a letter of it changed.
void change_text(std::string& header, std::mt19937_64& random) {
    if (header.empty()) return;
    const std::size_t at = below(random, header.size()), size = below(random, std::min<std::size_t>(40, header.size()));
    switch (below(random, 3)) {
        case 0:
            header.insert(below(random, header.size()), header.substr(at, size));
            break;
        case 1:
            header.erase(at, size);
            break;
        default:
            header[at] = static_cast<char>(below(random, 256));
    }
}

/// A number of the data: an index or a size gone wrong, or a float that is none.
void change_element(Bytes& bytes, std::size_t data, std::mt19937_64& random) {
    static const std::array<std::uint32_t, 14> values{
        0, 1, 2, 3, 5, 60, 73, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0x7fc00000, 0x00000001, 0x7f7fffff};
    const std::size_t count = (bytes.size() - data) / sizeof(std::uint32_t);
    if (count == 0) return;
    std::uint32_t value = values[below(random, values.size())];
    if (below(random, 4) == 0) value = static_cast<std::uint32_t>(random());
    std::memcpy(bytes.data() + data + below(random, count) * sizeof(value), &value, sizeof(value));
}

void change_bytes(Bytes& bytes, std::mt19937_64& random) {
    if (bytes.empty()) return;
    const std::size_t at = below(random, bytes.size());
    switch (below(random, 4)) {
        case 0:
            bytes[at] = static_cast<std::byte>(random());
            break;
        case 1:
            bytes[at] ^= static_cast<std::byte>(1u << below(random, 8));
            break;
        case 2:
            bytes.resize(at);
            break;
        default:
            bytes.insert(bytes.end(), below(random, 64), static_cast<std::byte>(random()));
    }
}

}  // namespace

void mutate(Bytes& bytes, std::mt19937_64& random) {
    const int changes = 1 + static_cast<int>(below(random, 3));
    for (int i = 0; i < changes; ++i) {
        const std::string old = header_of(bytes);
        std::string header = old;
        switch (old.empty() ? 0 : below(random, 6)) {
            case 0:
                change_bytes(bytes, random);
                break;
            case 1:
                change_number(header, random);
                break;
            case 2:
                change_text(header, random);
                break;
            default:
                change_element(bytes, sizeof(std::uint64_t) + old.size(), random);
        }
        if (header != old) replace_header(bytes, old.size(), header);
    }
}

}  // namespace rigcast::checks
