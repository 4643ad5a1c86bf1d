#include "rigcast/network/read_memory.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "rigcast/core/dispatch.h"
#include "rigcast/core/parallel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/network/read_memory.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigcast::network::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

std::uint64_t read_piece(const std::byte* bytes, std::size_t count) {
    using D = hn::CappedTag<std::uint64_t, 8>;
    using V = hn::Vec<D>;
    constexpr D d;
    constexpr std::size_t lanes = hn::MaxLanes(d);
    constexpr std::size_t sums = 4;  // loads that do not wait for each other
    V sum[sums] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    const std::uint64_t* words = reinterpret_cast<const std::uint64_t*>(bytes);
    const std::size_t num_words = count / sizeof(std::uint64_t);
    std::size_t i = 0;
    for (; i + sums * lanes <= num_words; i += sums * lanes) {
        for (std::size_t s = 0; s < sums; ++s) sum[s] = hn::Xor(sum[s], hn::LoadU(d, words + i + s * lanes));
    }
    HWY_ALIGN std::uint64_t all[lanes];
    hn::Store(hn::Xor(hn::Xor(sum[0], sum[1]), hn::Xor(sum[2], sum[3])), d, all);
    std::uint64_t result = 0;
    for (const std::uint64_t word : all) result ^= word;
    for (std::size_t at = i * sizeof(std::uint64_t); at < count; at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes + at, std::min(sizeof(word), count - at));
        result ^= word;
    }
    return result;
}

}  // namespace rigcast::network::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::network {

RIGCAST_EXPORT(read_piece);

std::uint64_t read_memory(std::span<const std::byte> bytes, int threads) {
    constexpr std::int64_t bytes_per_line = 64;
    if (threads <= 0) threads = num_processors();
    const std::int64_t size = std::ssize(bytes);
    const std::int64_t lines = (size + bytes_per_line - 1) / bytes_per_line;
    std::atomic<std::uint64_t> result{0};
    parallel_for(lines, std::max<std::int64_t>(1, (lines + threads - 1) / threads), threads,
                 [&](std::int64_t begin, std::int64_t end) {
                     const std::int64_t first = begin * bytes_per_line;
                     const std::int64_t count = std::min(end * bytes_per_line, size) - first;
                     result ^= RIGCAST_DISPATCH(read_piece)(bytes.data() + first, static_cast<std::size_t>(count));
                 });
    return result;
}

}  // namespace rigcast::network
#endif
