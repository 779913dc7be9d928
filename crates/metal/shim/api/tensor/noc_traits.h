// Tensors and their pages as ends of a transfer.

#pragma once

#include "api/dataflow/noc.h"
#include "api/tensor/page.h"
#include "api/tensor/tensor_accessor.h"

namespace tw {

// A tensor is asked for a page and bytes from there.
template <typename Tensor>
struct paged_args : remote_args {
    struct src_args_type {
        uint32_t page_id{};
        uint32_t offset_bytes = 0;
    };
    struct dst_args_type {
        uint32_t page_id{};
        uint32_t offset_bytes = 0;
    };
    template <Noc::AddressType type>
    static auto src_addr(const Tensor& tensor, const Noc& noc, const src_args_type& args) {
        return as<type>(noc, tensor.get_noc_addr(args.page_id, args.offset_bytes, noc.get_noc_id()));
    }
    template <Noc::AddressType type>
    static auto dst_addr(const Tensor& tensor, const Noc& noc, const dst_args_type& args) {
        return as<type>(noc, tensor.get_noc_addr(args.page_id, args.offset_bytes, noc.get_noc_id()));
    }
};

}  // namespace tw

template <typename DSpecT>
struct noc_traits_t<TensorAccessor<DSpecT>> : tw::paged_args<TensorAccessor<DSpecT>> {};
template <typename Accessor>
struct noc_traits_t<PageView<Accessor>> : tw::paged_args<PageView<Accessor>> {};
template <>
struct noc_traits_t<AbstractTensorAccessorWrapper> : tw::paged_args<AbstractTensorAccessorWrapper> {};

template <typename Accessor>
struct noc_traits_t<ShardView<Accessor>> : tw::remote_args {
    struct src_args_type {
        uint32_t shard_id{};
        uint32_t offset_bytes = 0;
    };
    using dst_args_type = src_args_type;
    template <Noc::AddressType type>
    static auto src_addr(const ShardView<Accessor>& view, const Noc& noc, const src_args_type& args) {
        return as<type>(noc, view.get_noc_addr(args.shard_id, args.offset_bytes, noc.get_noc_id()));
    }
    template <Noc::AddressType type>
    static auto dst_addr(const ShardView<Accessor>& view, const Noc& noc, const dst_args_type& args) {
        return src_addr<type>(view, noc, args);
    }
};

template <>
struct noc_traits_t<tensor_accessor::Page> : tw::remote_args {
    struct src_args_type {
        uint32_t offset_bytes = 0;
    };
    struct dst_args_type {
        uint32_t offset_bytes = 0;
    };
    template <Noc::AddressType type>
    static auto src_addr(const tensor_accessor::Page& page, const Noc& noc, const src_args_type& args) {
        return as<type>(noc, page.noc_addr() + args.offset_bytes);
    }
    template <Noc::AddressType type>
    static auto dst_addr(const tensor_accessor::Page& page, const Noc& noc, const dst_args_type& args) {
        return as<type>(noc, page.noc_addr() + args.offset_bytes);
    }
};
