#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "rigwright/core/system.h"

namespace rigwright {

/// Working memory of tens of megabytes, not initialized, aligned to a huge page. Asks for transparent huge pages on
/// Linux: with 4 KB pages, page faults cost about as much as the computation, and passes over the whole array have more
/// TLB misses.
template <class T>
requires std::is_trivial_v<T>
class LargeArray {
public:
    static constexpr std::size_t huge_page = std::size_t{2} << 20;

    T* data() { return memory_.get(); }
    const T* data() const { return memory_.get(); }
    std::int64_t size() const { return size_; }

    /// Replaces the array by one of `count` numbers; contents are undefined.
    void reset(std::int64_t count) {
        memory_.reset();
        size_ = 0;
        const std::size_t bytes = (static_cast<std::size_t>(count) * sizeof(T) + huge_page - 1) / huge_page * huge_page;
        memory_.reset(static_cast<T*>(::operator new(bytes, std::align_val_t(huge_page))));
        size_ = count;
        // only a hint; small arrays would not fill their huge pages
        if (bytes >= 4 * huge_page) system::advise_huge_pages(memory_.get(), bytes);
    }

private:
    struct Free {
        void operator()(T* memory) const { ::operator delete(memory, std::align_val_t(huge_page)); }
    };
    std::unique_ptr<T, Free> memory_;
    std::int64_t size_ = 0;
};

}  // namespace rigwright
