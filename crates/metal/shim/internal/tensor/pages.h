// Pages one after the other: of a tensor, or of a shard.

#pragma once

#include "api/tensor/page.h"
#include "tilewright/abi.h"

namespace tw {

template <typename Accessor>
struct pages {
    struct iterator {
        const Accessor* accessor;
        uint32_t page;

        tensor_accessor::Page operator*() const { return {accessor->get_noc_addr(page), page}; }
        iterator& operator++() {
            ++page;
            return *this;
        }
        bool operator==(const iterator& other) const { return page == other.page; }
        bool operator!=(const iterator& other) const { return page != other.page; }
    };

    const Accessor& accessor;
    uint32_t first;
    uint32_t last;

    iterator begin() const { return {&accessor, first}; }
    iterator end() const { return {&accessor, last}; }
};

// Places where the shard hangs over the tensor's edge are left out.
template <typename Accessor>
struct shard_pages {
    struct iterator {
        const shard_pages* all;
        uint32_t place;

        tensor_accessor::Page operator*() const {
            const uint32_t page = all->accessor.dspec().page_at(all->shard, place);
            return {all->accessor.get_noc_addr(page), page};
        }
        iterator& operator++() {
            ++place;
            skip();
            return *this;
        }
        void skip() {
            while (place < all->last && all->accessor.dspec().page_at(all->shard, place) == TW_NONE) {
                ++place;
            }
        }
        bool operator==(const iterator& other) const { return place == other.place; }
        bool operator!=(const iterator& other) const { return place != other.place; }
    };

    const Accessor& accessor;
    uint32_t shard;
    uint32_t first;
    uint32_t last;

    iterator begin() const {
        iterator at{this, first};
        at.skip();
        return at;
    }
    iterator end() const { return {this, last}; }
};

}  // namespace tw
