#pragma once
#include <cstdint>
#include <functional>
#include <utility>

namespace rigcast::packing {

/// Called with the number of nodes that a search has visited, every so many nodes: the same ones on every machine. An
/// exception from it ends the search.
using ProgressCallback = std::function<void(std::int64_t nodes)>;

/// Counts the nodes of a search tree against a limit.
class NodeCounter {
public:
    NodeCounter(std::int64_t limit, ProgressCallback progress) : limit_(limit), progress_(std::move(progress)) {}

    /// Counts one more node. Returns true if the limit is not exceeded.
    bool count() {
        if (++nodes_ % nodes_per_callback == 0 && progress_) progress_(nodes_);
        return nodes_ <= limit_;
    }
    bool is_within_limit() const { return nodes_ <= limit_; }
    std::int64_t nodes() const { return nodes_; }

private:
    /// Some hundredths of a second: Ctrl-C is seen at once, and the callback costs nothing beside the search.
    static constexpr std::int64_t nodes_per_callback = 1024;
    std::int64_t nodes_ = 0;
    std::int64_t limit_;
    ProgressCallback progress_;
};

}  // namespace rigcast::packing
