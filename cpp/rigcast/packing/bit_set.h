#pragma once
#include <bit>
#include <cstdint>
#include <vector>

namespace rigcast::packing {

/// A set of whole numbers from 0 to below capacity(), one bit per number. insert, erase and contains need a number in
/// this range, and the sets of an operation must have the same size; neither is checked.
class BitSet {
public:
    BitSet() = default;
    explicit BitSet(int size) : words_((size + 63) / 64, 0) {}

    /// The size given to the constructor, rounded up to a multiple of 64.
    int capacity() const { return static_cast<int>(64 * words_.size()); }
    void insert(int i) { words_[i >> 6] |= std::uint64_t{1} << (i & 63); }
    void erase(int i) { words_[i >> 6] &= ~(std::uint64_t{1} << (i & 63)); }
    bool contains(int i) const { return (words_[i >> 6] >> (i & 63)) & 1; }
    bool empty() const {
        for (std::uint64_t word : words_) {
            if (word != 0) return false;
        }
        return true;
    }
    int count() const {
        int total = 0;
        for (std::uint64_t word : words_) total += std::popcount(word);
        return total;
    }
    /// The smallest member that is at least `from` (>= 0), or -1 if there is none.
    int next(int from = 0) const {
        std::size_t w = static_cast<std::size_t>(from) >> 6;
        if (w >= words_.size()) return -1;
        std::uint64_t word = words_[w] & (~std::uint64_t{0} << (from & 63));
        while (word == 0) {
            if (++w == words_.size()) return -1;
            word = words_[w];
        }
        return static_cast<int>(w * 64) + std::countr_zero(word);
    }
    bool intersects(const BitSet& other) const {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            if ((words_[w] & other.words_[w]) != 0) return true;
        }
        return false;
    }
    /// The number of members that both sets have.
    int num_shared(const BitSet& other) const {
        int total = 0;
        for (std::size_t w = 0; w < words_.size(); ++w) total += std::popcount(words_[w] & other.words_[w]);
        return total;
    }
    BitSet& operator&=(const BitSet& other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
        return *this;
    }
    BitSet& operator|=(const BitSet& other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
        return *this;
    }
    /// Removes the members of `other`.
    BitSet& operator-=(const BitSet& other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
        return *this;
    }
    friend bool operator==(const BitSet&, const BitSet&) = default;

private:
    std::vector<std::uint64_t> words_;
};

}  // namespace rigcast::packing
