#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "rigcast/cuda/machine/block.h"
#include "rigcast/network/storage.h"

namespace rigcast::cuda {

/// Bytes that all machines have copied to the host and to the device, so that tests see what stays there.
inline std::atomic<std::int64_t> bytes_to_host = 0;
inline std::atomic<std::int64_t> bytes_to_device = 0;

/// The only device is the host.
class DeviceScope {
public:
    DeviceScope() {}
};

/// The number that 16 bits stand for, exactly.
inline float widened_float16(std::uint16_t bits) {
    return network::from_float16(bits);
}
inline float widened_bfloat16(std::uint16_t bits) {
    return network::from_bfloat16(bits);
}

/// Memory of exactly the requested size, filled with NaN or huge indices: reading memory that no kernel wrote shows in
/// the result, reading beyond the end under AddressSanitizer.
template <class T>
class Buffer {
public:
    void reserve(std::int64_t count) {
        if (count <= capacity_) return;
        data_.reset(new T[count]);
        std::memset(static_cast<void*>(data_.get()), 0xff, count * sizeof(T));
        capacity_ = count;
    }
    T* data() const { return data_.get(); }

private:
    std::unique_ptr<T[]> data_;
    std::int64_t capacity_ = 0;
};

/// Host memory; see gpu.h.
template <class T>
using PinnedBuffer = Buffer<T>;

/// Launches that were recorded once and are started together. Kernels are kept by value, as a GPU keeps them: memory
/// that has moved since shows under AddressSanitizer.
struct Graph {
    std::vector<std::function<void()>> launches;
};

/// A team of block.h as one thread that does all the work, in ascending or descending order.
class Team {
public:
    Team(std::int64_t index, std::int64_t count, double* memory)
        : index_(index), count_(count), memory_(memory), backward_(index % 2 != 0) {}

    std::int64_t index() const { return index_; }
    std::int64_t count() const { return count_; }
    double* shared() const { return memory_; }

    template <class F>
    void each(int n, const F& f) const {
        for (int i = 0; i < n; ++i) f(backward_ ? n - 1 - i : i);
    }
    template <class Width, class F>
    void rows(int n, const Width& width, const F& f) const {
        each(n, [&](int row) { each(width(row), [&](int column) { f(row, column); }); });
    }
    template <int Count, class F>
    Sums<Count> sum(int n, const F& f) const {
        Sums<Count> total = {};
        for (int i = 0; i < n; ++i) f(i, total);  // always ascending: a frame has the same bytes in any block
        return total;
    }
    template <class F>
    double largest(int n, const F& f) const {
        double most = 0.0;
        each(n, [&](int i) { most = std::max(most, f(i)); });
        return most;
    }

private:
    std::int64_t index_;
    std::int64_t count_;
    double* memory_;
    bool backward_;
};

/// Runs kernels on the host, the threads of a block one after another. Neighboring blocks run them in opposite orders,
/// so that a thread which depends on what another writes in the same phase gives a wrong result.
class Machine {
public:
    template <class T>
    void upload(const T* source, std::int64_t count, Buffer<T>& target) {
        target.reserve(count);
        std::copy_n(source, count, target.data());
        const auto bytes = static_cast<std::int64_t>(count * sizeof(T));
        uploaded_bytes_ += bytes;
        bytes_to_device += bytes;
    }
    template <class T>
    void upload(const std::vector<T>& source, Buffer<T>& target) {
        upload(source.data(), static_cast<std::int64_t>(source.size()), target);
    }
    template <class T>
    void download(const Buffer<T>& source, std::int64_t count, T* target) {
        bytes_to_host += static_cast<std::int64_t>(count * sizeof(T));
        std::copy_n(source.data(), count, target);
    }
    template <class T>
    void copy(const T* source, std::int64_t count, T* target) {
        std::copy_n(source, count, target);
    }
    void synchronize() {}

    template <class F>
    std::unique_ptr<Graph> record(const F& queue) {
        auto graph = std::make_unique<Graph>();
        recording_ = graph.get();
        try {
            queue();
        } catch (...) {
            recording_ = nullptr;
            throw;
        }
        recording_ = nullptr;
        return graph;
    }
    void run(const Graph& graph) {
        for (const auto& launch : graph.launches) launch();
    }
    /// Bytes that were uploaded so far.
    std::int64_t uploaded_bytes() const { return uploaded_bytes_; }

    /// Calls f(row, column) for all rows and columns.
    template <class F>
    void for_each(std::int64_t rows, std::int64_t columns, const F& f) {
        launch([=] {
            for (std::int64_t row = 0; row < rows; ++row) {
                in_order(row % 2 != 0, columns, [&](std::int64_t column) { f(row, column); });
            }
        });
    }

    /// Runs a tile kernel (block.h) on rows x columns blocks.
    template <class Kernel>
    void run_tiles(std::int64_t rows, std::int64_t columns, const Kernel& kernel) {
        static_assert(std::is_trivially_copyable_v<typename Kernel::Shared>);
        launch([=] {
            const auto shared = std::make_unique<typename Kernel::Shared[]>(2);
            for (std::int64_t row = 0; row < rows; ++row) {
                for (std::int64_t column = 0; column < columns; ++column) {
                    run_block(Block{row, column}, kernel, shared.get());
                }
            }
        });
    }

    static constexpr std::int64_t most_shared = 5888;

    template <class Kernel>
    int teams_per_processor(std::int64_t) {
        return 2;
    }

    /// Few, so that each block does several rounds of work in the same memory.
    template <class Kernel>
    std::int64_t num_teams(std::int64_t) {
        return 3;
    }

    /// Runs a team kernel (block.h) on `teams` blocks, one after another.
    template <class Kernel>
    void run_teams(std::int64_t teams, std::int64_t shared, const Kernel& kernel) {
        launch([=] {
            for (std::int64_t i = 0; i < teams; ++i) {
                std::vector<double> memory(shared, std::numeric_limits<double>::quiet_NaN());
                kernel(Team(i, teams, memory.data()));
            }
        });
    }

    /// Runs work that is queued in the stream, or records it.
    template <class F>
    void launch(const F& kernel) {
        if (recording_ == nullptr) {
            kernel();
        } else {
            recording_->launches.emplace_back(kernel);
        }
    }

    static constexpr int dlpack_device_type = 1;  // kDLCPU

    static bool is_device_memory(const void* pointer) { return pointer != nullptr; }
    static void wait_for_stream(std::uintptr_t) {}

    /// The milliseconds that the work of f takes.
    template <class F>
    double milliseconds(const F& f) {
        const auto start = std::chrono::steady_clock::now();
        f();
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    }

private:
    std::int64_t uploaded_bytes_ = 0;
    Graph* recording_ = nullptr;

    template <class F>
    static void in_order(bool backward, std::int64_t count, const F& f) {
        for (std::int64_t i = 0; i < count; ++i) f(backward ? count - 1 - i : i);
    }

    template <class Kernel>
    static void run_block(Block block, const Kernel& kernel, typename Kernel::Shared* shared) {
        const bool backward = (block.row + block.column) % 2 != 0;
        std::vector<typename Kernel::Registers> registers(Kernel::threads);
        std::vector<typename Kernel::Fetched> fetched(Kernel::threads);
        const auto all = [&](const auto& f) {
            in_order(backward, Kernel::threads, [&](std::int64_t thread) { f(static_cast<int>(thread)); });
        };
        const int steps = kernel.steps(block);
        if (steps > 0) all([&](int thread) { kernel.fetch(block, thread, 0, fetched[thread]); });
        for (int step = 0; step < steps; ++step) {
            typename Kernel::Shared& now = shared[step % 2];
            std::memset(static_cast<void*>(&now), 0xff, sizeof(now));
            all([&](int thread) { kernel.put(block, thread, step, fetched[thread], now); });
            if (step + 1 < steps) all([&](int thread) { kernel.fetch(block, thread, step + 1, fetched[thread]); });
            all([&](int thread) { kernel.multiply(block, thread, now, registers[thread]); });
        }
        all([&](int thread) { kernel.store(block, thread, registers[thread]); });
    }
};

}  // namespace rigcast::cuda
