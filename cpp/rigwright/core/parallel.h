#pragma once
#include <cstdint>
#include <functional>
#include <type_traits>

namespace rigwright {

/// Processors this process may use.
int num_processors();

/// Threads of a host program, which parallel_for uses in place of its own pool; see set_scheduler.
class Scheduler {
public:
    virtual ~Scheduler() = default;

    /// Calls `work` up to `calls` times, on any threads, the calling one among them or not, at once or one after
    /// another, and returns when all these calls have returned. One call works until nothing is left to begin, so
    /// a call that starts late returns at once, and fewer calls than asked for only cost time: after `run` returns,
    /// parallel_for does what is left on its own thread. `work` throws nothing and waits for nothing, and stays valid
    /// until `run` returns. `run` may be called from several threads at once, and must not throw.
    ///
    /// With oneTBB: `tbb::parallel_for(0, calls, [&](int) { work(); });`
    virtual void run(int calls, const std::function<void()>& work) = 0;
};

/// Makes parallel_for use the threads of `scheduler`; nullptr brings back the library's own pool, whose threads start
/// with the first call that uses it. The caller keeps the scheduler alive, and changes it only while no call of the
/// library runs. Guarantee: results have the same bytes with any scheduler and any number of threads, and exceptions
/// reach the caller as before. A body that calls parallel_for again runs it on its own thread.
void set_scheduler(Scheduler* scheduler);

namespace detail {
using Body = void (*)(void* context, std::int64_t begin, std::int64_t end);
void parallel_for(std::int64_t count, std::int64_t grain, int threads, Body body, void* context);
}  // namespace detail

/// Calls body(begin, end) on pieces of [0, count) of `grain` indices (the last may be shorter), at most
/// `threads` at a time; threads <= 0 means all processors. Pieces do not depend on the number of threads, so
/// a body that writes only what belongs to its indices gives the same bytes for any number. Allocates nothing
/// after the first call. An exception of the body is rethrown here, the first one if there are several. A call from
/// inside a body that runs beside others runs its pieces one after another.
template <class F>
void parallel_for(std::int64_t count, std::int64_t grain, int threads, F&& body) {
    using Function = std::remove_reference_t<F>;
    detail::parallel_for(
        count, grain, threads,
        [](void* context, std::int64_t begin, std::int64_t end) { (*static_cast<Function*>(context))(begin, end); },
        const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace rigwright
