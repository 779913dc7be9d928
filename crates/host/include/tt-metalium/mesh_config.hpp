// Which devices make a mesh.
#pragma once

#include <optional>
#include <vector>

#include <tt-metalium/mesh_coord.hpp>

namespace tt::tt_metal::distributed {

class MeshDeviceConfig {
public:
    explicit MeshDeviceConfig(
        const MeshShape& shape, const std::optional<MeshCoordinate>& = std::nullopt,
        const std::vector<int>& = {})
        : shape_(shape) {}

    const MeshShape& mesh_shape() const { return shape_; }

private:
    MeshShape shape_;
};

}  // namespace tt::tt_metal::distributed
