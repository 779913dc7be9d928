// Pages one after the other: of a tensor, or of a shard.

#pragma once

#include <cstddef>

#include "api/tensor/page.h"
#include "tilewright/abi.h"

namespace tw {

// What an iterator offers besides its position: `get()`, the page there, and `advance(steps)`.
template <typename Iterator>
struct page_iterator {
    struct arrow {
        tensor_accessor::Page page;
        const tensor_accessor::Page* operator->() const { return &page; }
    };

    uint32_t place;

    tensor_accessor::Page operator*() const { return self().get(); }
    arrow operator->() const { return {self().get()}; }
    tensor_accessor::Page operator[](std::ptrdiff_t steps) const { return *(self() + steps); }
    uint32_t page_id() const { return self().get().page_id(); }
    Iterator& operator++() { return *this += 1; }
    Iterator operator++(int) {
        const Iterator before = self();
        ++*this;
        return before;
    }
    Iterator& operator+=(std::ptrdiff_t steps) {
        Iterator& it = static_cast<Iterator&>(*this);
        it.advance(static_cast<uint32_t>(steps));
        return it;
    }
    Iterator operator+(std::ptrdiff_t steps) const {
        Iterator after = self();
        return after += steps;
    }
    bool operator==(const page_iterator& other) const { return place == other.place; }
    bool operator!=(const page_iterator& other) const { return place != other.place; }
    bool operator<(const page_iterator& other) const { return place < other.place; }
    bool operator>(const page_iterator& other) const { return place > other.place; }
    bool operator<=(const page_iterator& other) const { return place <= other.place; }
    bool operator>=(const page_iterator& other) const { return place >= other.place; }

private:
    const Iterator& self() const { return static_cast<const Iterator&>(*this); }
};

template <typename Accessor>
struct pages {
    struct iterator : page_iterator<iterator> {
        const pages* all;

        iterator(const pages* of, uint32_t place) : page_iterator<iterator>{place}, all(of) {}
        tensor_accessor::Page get() const {
            return {all->accessor.get_noc_addr(this->place), this->place};
        }
        void advance(uint32_t steps) {
            const uint32_t left = this->place < all->last ? all->last - this->place : 0;
            this->place += steps < left ? steps : left;
        }
    };

    const Accessor& accessor;
    uint32_t first;
    uint32_t last;

    iterator begin() const { return {this, first}; }
    iterator end() const { return {this, last}; }
};

// Places where the shard hangs over the tensor's edge are left out: from one of them an iterator goes on by as many
// places as before.
template <typename Accessor>
struct shard_pages {
    struct iterator : page_iterator<iterator> {
        const shard_pages* all;

        iterator(const shard_pages* of, uint32_t place) : page_iterator<iterator>{place}, all(of) {}
        tensor_accessor::Page get() const {
            const uint32_t page = all->accessor.dspec().page_at(all->shard, this->place);
            return {all->accessor.get_noc_addr(page), page};
        }
        bool is_outside() const {
            return this->place < all->last && all->accessor.dspec().page_at(all->shard, this->place) == TW_NONE;
        }
        void advance(uint32_t steps) {
            if (steps == 0) {
                return;
            }
            do {
                const uint32_t left = this->place < all->last ? all->last - this->place : 0;
                this->place += steps < left ? steps : left;
            } while (is_outside());
        }
    };

    const Accessor& accessor;
    uint32_t shard;
    uint32_t first;
    uint32_t last;

    iterator begin() const {
        iterator at{this, first};
        if (at.is_outside()) {
            ++at;
        }
        return at;
    }
    iterator end() const { return {this, last}; }
};

}  // namespace tw
