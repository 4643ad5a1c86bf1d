#include "rigcast/synthesis/player/event_record.h"

#include <algorithm>

namespace rigcast::synthesis {

std::int64_t EventRecord::add(RecordedEvent event, const std::vector<std::int64_t>& used) {
    const std::int64_t number = next_++;
    events_.emplace(number, std::move(event));
    for (auto old = events_.begin(); events_.size() > most && old != events_.end();) {
        const bool kept = old->first == number || std::find(used.begin(), used.end(), old->first) != used.end();
        old = kept ? std::next(old) : events_.erase(old);
    }
    return number;
}

void EventRecord::forget_from(std::int64_t number) {
    events_.erase(events_.lower_bound(number), events_.end());
    next_ = std::min(next_, number);
}

std::string EventRecord::command(std::int64_t number) const {
    const auto found = events_.find(number);
    return found == events_.end() ? "" : found->second.command;
}

void EventRecord::begin(std::int64_t number, std::int64_t frame) {
    const auto found = events_.find(number);
    if (found != events_.end()) found->second.began = frame;
}

void EventRecord::set(std::int64_t next, std::map<std::int64_t, RecordedEvent> events) {
    next_ = next;
    events_ = std::move(events);
}

}  // namespace rigcast::synthesis
