#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

namespace rigcast {

/// Working memory per thread, aligned to cache lines. It is cached between calls, so that a repeated call allocates
/// nothing.
///
/// A function takes one lease, splits it into the arrays that it needs, and returns the memory when the lease ends:
///
///     const Scratch::Lease<float> memory(2 * size);
///     float* globals = memory.data();
///     float* gradient = globals + size;
///
/// Rule: one lease per thread at a time; a second one throws std::logic_error. Bodies of parallel_for are exempt: they
/// may lease while their caller does, since each level of nesting has memory of its own.
class Scratch {
public:
    static constexpr std::size_t alignment = 64;
    /// Memory larger than this is freed when its lease ends, smaller memory is cached. Trades memory per thread and
    /// level for allocations of large scratch. Chosen, not tuned.
    static constexpr std::size_t max_cached_bytes = std::size_t{32} << 20;

    /// Exclusive use of at least `count` elements, uninitialized. Must end on the thread on which it began. Throws
    /// std::logic_error if this thread has a lease already, and std::bad_alloc.
    template <class T>
    class Lease;

    /// Enters a level of nesting: until it is destroyed, a lease on this thread uses memory that no outer lease uses.
    /// parallel_for creates one around the bodies that it runs on its caller's thread. Throws std::logic_error beyond
    /// the deepest level.
    class Inside {
    public:
        Inside();
        ~Inside();
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;

    private:
        bool deeper_;
    };

    /// Bytes that this thread has allocated, leased or cached, over all levels.
    static std::size_t allocated_bytes();

    /// `count` floats rounded up to whole cache lines: the size of one of several arrays in a lease.
    static constexpr std::size_t padded(std::size_t count) {
        constexpr std::size_t floats_per_line = alignment / sizeof(float);
        return (count + floats_per_line - 1) / floats_per_line * floats_per_line;
    }

private:
    struct Slot;
    struct Levels;
    static Levels& levels();
    static Slot* acquire(std::size_t count, std::size_t element);
    static void release(Slot* slot) noexcept;
    static void* data(const Slot* slot);
};

template <class T>
class Scratch::Lease {
    static_assert(std::is_trivial_v<T> && alignof(T) <= alignment);

public:
    Lease() = default;
    explicit Lease(std::size_t count)
        : slot_(acquire(count, sizeof(T))), data_(static_cast<T*>(Scratch::data(slot_))) {}
    ~Lease() {
        if (slot_ != nullptr) release(slot_);
    }
    Lease(Lease&& other) noexcept
        : slot_(std::exchange(other.slot_, nullptr)), data_(std::exchange(other.data_, nullptr)) {}
    Lease& operator=(Lease&& other) noexcept {
        std::swap(slot_, other.slot_);
        std::swap(data_, other.data_);
        return *this;
    }

    T* data() const { return data_; }

private:
    Slot* slot_ = nullptr;
    T* data_ = nullptr;
};

}  // namespace rigcast
