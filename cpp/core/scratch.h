#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace rigwright {

/// Working memory of a thread that grows to the largest request and is kept, so that a call repeated
/// allocates nothing. Contents are undefined; one function holds a thread's scratch at a time, split into the
/// parts it needs.
class Scratch {
public:
    static constexpr std::size_t alignment = 64;

    /// At least `count` floats, aligned to a cache line, of this thread.
    static float* floats(std::size_t count) {
        thread_local Scratch scratch;
        if (count > scratch.capacity_) {
            scratch.memory_.reset(
                static_cast<float*>(::operator new(count * sizeof(float), std::align_val_t(alignment))));
            scratch.capacity_ = count;
        }
        return scratch.memory_.get();
    }

    /// The same memory as doubles.
    static double* doubles(std::size_t count) { return reinterpret_cast<double*>(floats(2 * count)); }

    /// `count` rounded up to whole cache lines, for parts laid side by side.
    static constexpr std::size_t padded(std::size_t count) {
        constexpr std::size_t line = alignment / sizeof(float);
        return (count + line - 1) / line * line;
    }

private:
    struct Free {
        void operator()(float* memory) const { ::operator delete(memory, std::align_val_t(alignment)); }
    };
    std::unique_ptr<float, Free> memory_;
    std::size_t capacity_ = 0;
};

}  // namespace rigwright
