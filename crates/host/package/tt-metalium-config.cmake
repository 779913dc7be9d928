# Host programs for tt-metal, built to run under Tilewright.

if(NOT TARGET TT::Metalium)
    include(CMakeFindDependencyMacro)
    find_dependency(Threads)

    get_filename_component(_tilewright_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

    add_library(TT::Metalium INTERFACE IMPORTED)
    set_target_properties(
        TT::Metalium
        PROPERTIES
            INTERFACE_INCLUDE_DIRECTORIES "${_tilewright_prefix}/include/tilewright-host"
            INTERFACE_COMPILE_FEATURES "cxx_std_20"
            INTERFACE_COMPILE_OPTIONS "-g1;-gcolumn-info;-fno-omit-frame-pointer;-Wno-narrowing"
            INTERFACE_LINK_LIBRARIES "${_tilewright_prefix}/lib/tilewright_host.o;Threads::Threads"
    )

    # The headers of tt_stl are among those of tt-metalium.
    add_library(TT::STL INTERFACE IMPORTED)
    set_target_properties(
        TT::STL
        PROPERTIES
            INTERFACE_INCLUDE_DIRECTORIES "${_tilewright_prefix}/include/tilewright-host"
    )

    unset(_tilewright_prefix)
endif()
