#pragma once
#include <cstdint>

#include "bindings/c/objects.h"
#include "rigcast/core/interruption.h"

namespace rigcast::c {

/// Tells a program about the progress of a call of this thread while this lives, between pieces of work too. Reports
/// throw Cancelled if the program wants the call to end.
class Reports final : public Interruption {
public:
    Reports(rigcast_progress progress, void* user, std::int64_t total)
        : progress_(progress), user_(user), total_(total), interruptible_(progress == nullptr ? nullptr : this) {}

    void check() override { advance(done_); }
    void advance(std::int64_t done) {
        done_ = done;
        if (progress_ != nullptr && progress_(user_, done, total_) != 0) throw Cancelled();
    }

private:
    rigcast_progress progress_;
    void* user_;
    std::int64_t done_ = 0, total_;
    Interruptible interruptible_;
};

}  // namespace rigcast::c
