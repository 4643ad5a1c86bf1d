#pragma once
#include <cstdint>
#include <type_traits>

namespace rigwright {

/// Processors this process may use.
int num_processors();

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
