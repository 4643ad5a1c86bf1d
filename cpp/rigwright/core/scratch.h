#pragma once
#include <cstddef>
#include <type_traits>
#include <utility>

namespace rigwright {

/// Working memory per thread, aligned to cache lines and kept between calls, so that a repeated call allocates
/// nothing.
///
/// A function leases it for as long as it lives and splits it into the parts that it needs:
///
///     const Scratch::Lease<float> memory(2 * size);
///     float *globals = memory.data(), *gradient = globals + size;
///
/// A second lease on the same thread throws std::logic_error. Bodies of parallel_for may lease although their caller
/// does: they have memory of their own, one level further in.
class Scratch {
public:
    static constexpr std::size_t alignment = 64;
    /// A thread keeps at most this much per level after a lease ends; larger memory is freed with the lease.
    static constexpr std::size_t kept_bytes = std::size_t{32} << 20;

    /// Exclusive use of at least `count` elements, undefined at first. Throws std::logic_error if this thread leases
    /// already, std::bad_alloc if there is no memory. Ends on the thread on which it began.
    template <class T>
    class Lease;

    /// While it lives, leases of this thread come from memory that no lease outside uses. parallel_for makes one around
    /// the bodies that it runs on its caller's thread.
    class Inside {
    public:
        Inside();
        ~Inside();
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;

    private:
        bool deeper_;
    };

    /// Bytes that this thread keeps or leases, over all levels.
    static std::size_t bytes_held();

    /// `count` rounded up to whole cache lines of floats, for parts laid side by side.
    static constexpr std::size_t padded(std::size_t count) {
        constexpr std::size_t line = alignment / sizeof(float);
        return (count + line - 1) / line * line;
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

}  // namespace rigwright
