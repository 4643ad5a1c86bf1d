#pragma once
#include <cstdint>
#include <functional>
#include <type_traits>

namespace rigcast {

/// Processors that this process may use, at least 1.
int num_processors();

/// The threads of a host program, for parallel_for to use in place of its own pool; see set_scheduler.
class Scheduler {
public:
    virtual ~Scheduler() = default;

    /// Calls work() up to `calls` times, on any threads, in parallel or one after another, and returns when all calls
    /// have returned. Each call takes pieces until none is left, so fewer calls only cost time: after `run` returns,
    /// parallel_for processes the remaining pieces on its own thread.
    /// work() neither throws nor waits, and is valid until `run` returns.
    /// `run` must not throw, and must allow calls from several threads at once.
    ///
    /// With oneTBB: `tbb::parallel_for(0, calls, [&](int) { work(); });`
    virtual void run(int calls, const std::function<void()>& work) = 0;
};

/// Makes parallel_for use the threads of `scheduler`, or of the library's own pool if it is nullptr (the default). The
/// pool starts its threads at its first use.
/// Guarantee: results have the same bytes with any scheduler and any number of threads.
/// Requires: the scheduler outlives its use, and no call of the library runs during the change.
void set_scheduler(Scheduler* scheduler);

namespace detail {
using Body = void (*)(void* context, std::int64_t begin, std::int64_t end);
void parallel_for(std::int64_t count, std::int64_t grain, int threads, Body body, void* context);
}  // namespace detail

/// Calls body(begin, end) for pieces of [0, count) of `grain` indices each (the last may be shorter), on at most
/// `threads` threads at a time; threads <= 0 means all processors.
/// Guarantee: the pieces do not depend on the number of threads. A body that writes only the results of its indices
/// therefore gives the same bytes for any number. Allocates nothing after the first call.
/// Nested: inside a body that runs on several threads, a call runs its pieces one after another on its own thread.
/// Throws: the first exception of a body is rethrown here; pieces that have not begun are skipped.
template <class F>
void parallel_for(std::int64_t count, std::int64_t grain, int threads, F&& body) {
    using Function = std::remove_reference_t<F>;
    detail::parallel_for(
        count, grain, threads,
        [](void* context, std::int64_t begin, std::int64_t end) { (*static_cast<Function*>(context))(begin, end); },
        const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace rigcast
