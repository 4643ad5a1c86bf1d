# The C++ library for other projects: the target rigcast::rigcast, and what `cmake --install` installs.
include(CMakePackageConfigHelpers)

# rigcast/version.h and the umbrella header rigcast/rigcast.h.
set(generated "${PROJECT_BINARY_DIR}/include")
configure_file(cmake/version.h.in "${generated}/rigcast/version.h" @ONLY)
configure_file(cmake/rigcast.h "${generated}/rigcast/rigcast.h" COPYONLY)

get_property(layers GLOBAL PROPERTY RIGCAST_LAYERS)
add_library(rigcast_all INTERFACE)
add_library(rigcast::rigcast ALIAS rigcast_all)
set_target_properties(rigcast_all PROPERTIES EXPORT_NAME rigcast)
target_include_directories(rigcast_all INTERFACE $<BUILD_INTERFACE:${generated}> $<INSTALL_INTERFACE:include>)
target_link_libraries(rigcast_all INTERFACE ${layers})

if(NOT RIGCAST_INSTALL)
  return()
endif()

set(package lib/cmake/rigcast)
install(TARGETS rigcast_all ${layers} EXPORT rigcast ARCHIVE DESTINATION lib)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/cpp/rigcast/" DESTINATION include/rigcast
  FILES_MATCHING PATTERN "*.h" PATTERN "*-inl.h" EXCLUDE PATTERN cuda EXCLUDE)
install(DIRECTORY "${generated}/rigcast" DESTINATION include)
install(EXPORT rigcast NAMESPACE rigcast:: FILE rigcastTargets.cmake DESTINATION ${package})

# The find modules that the config file needs: FindCHOLMOD only if the factorization uses CHOLMOD.
get_target_property(linked rigcast_linalg LINK_LIBRARIES)
set(RIGCAST_USES_CHOLMOD OFF)
set(modules)
if("CHOLMOD::CHOLMOD" IN_LIST linked)
  set(RIGCAST_USES_CHOLMOD ON)
  list(APPEND modules cmake/FindCHOLMOD.cmake)
endif()
configure_package_config_file(cmake/rigcastConfig.cmake.in "${PROJECT_BINARY_DIR}/rigcastConfig.cmake"
  INSTALL_DESTINATION ${package})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/rigcastConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES ${modules} "${PROJECT_BINARY_DIR}/rigcastConfig.cmake"
  "${PROJECT_BINARY_DIR}/rigcastConfigVersion.cmake" DESTINATION ${package})
