#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace rigwright {

/// Working memory of tens of megabytes, not initialised, on huge pages where the system has them for those who ask
/// (Linux): a page of four kilobytes costs about as much at its first touch as the numbers on it cost to compute, and
/// passes over the whole miss fewer translations. Aligned to a huge page.
template <class T>
requires std::is_trivial_v<T>
class LargeArray {
public:
    static constexpr std::size_t huge_page = std::size_t{2} << 20;

    T* data() { return memory_.get(); }
    const T* data() const { return memory_.get(); }
    std::int64_t size() const { return size_; }

    /// Another array of `count` numbers in place of this one; contents are undefined.
    void reset(std::int64_t count) {
        memory_.reset();
        size_ = 0;
        const std::size_t bytes = (static_cast<std::size_t>(count) * sizeof(T) + huge_page - 1) / huge_page * huge_page;
        memory_.reset(static_cast<T*>(::operator new(bytes, std::align_val_t(huge_page))));
        size_ = count;
#ifdef __linux__
        // a hint: without it everything works as well; few numbers would pay for a whole huge page
        if (bytes >= 4 * huge_page) madvise(memory_.get(), bytes, MADV_HUGEPAGE);
#endif
    }

private:
    struct Free {
        void operator()(T* memory) const { ::operator delete(memory, std::align_val_t(huge_page)); }
    };
    std::unique_ptr<T, Free> memory_;
    std::int64_t size_ = 0;
};

}  // namespace rigwright
