#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "rigcast/core/system.h"

namespace rigcast {

/// Uninitialized memory for arrays of tens of megabytes, aligned to a huge page and rounded up to whole ones. Asks for
/// transparent huge pages on Linux: with 4 KB pages, page faults cost about as much as the computation, and passes over
/// the array have more TLB misses.
template <class T>
requires std::is_trivial_v<T>
class LargeArray {
public:
    static constexpr std::size_t bytes_per_huge_page = std::size_t{2} << 20;
    /// Arrays of fewer huge pages do not ask for them: much of the memory could be the unused end of the last page.
    /// Chosen, not tuned.
    static constexpr std::size_t min_huge_pages = 4;

    T* data() { return memory_.get(); }
    const T* data() const { return memory_.get(); }
    std::int64_t size() const { return size_; }

    /// Frees the array and allocates a new one of `count` elements, uninitialized. If memory is short, throws
    /// std::bad_alloc and leaves the array empty.
    void reset(std::int64_t count) {
        memory_.reset();
        size_ = 0;
        const std::size_t pages =
            (static_cast<std::size_t>(count) * sizeof(T) + bytes_per_huge_page - 1) / bytes_per_huge_page;
        const std::size_t bytes = pages * bytes_per_huge_page;
        memory_.reset(static_cast<T*>(::operator new(bytes, std::align_val_t(bytes_per_huge_page))));
        size_ = count;
        if (pages >= min_huge_pages) system::advise_huge_pages(memory_.get(), bytes);
    }

private:
    struct Free {
        void operator()(T* memory) const { ::operator delete(memory, std::align_val_t(bytes_per_huge_page)); }
    };
    std::unique_ptr<T, Free> memory_;
    std::int64_t size_ = 0;
};

}  // namespace rigcast
