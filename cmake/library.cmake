# The C++ library for other projects: the target rigwright::rigwright, and what `cmake --install` installs.
include(CMakePackageConfigHelpers)

# rigwright/version.h and the umbrella header rigwright/rigwright.h.
set(generated "${PROJECT_BINARY_DIR}/include")
configure_file(cmake/version.h.in "${generated}/rigwright/version.h" @ONLY)
configure_file(cmake/rigwright.h "${generated}/rigwright/rigwright.h" COPYONLY)

get_property(layers GLOBAL PROPERTY RIGWRIGHT_LAYERS)
add_library(rigwright_all INTERFACE)
add_library(rigwright::rigwright ALIAS rigwright_all)
set_target_properties(rigwright_all PROPERTIES EXPORT_NAME rigwright)
target_include_directories(rigwright_all INTERFACE $<BUILD_INTERFACE:${generated}> $<INSTALL_INTERFACE:include>)
target_link_libraries(rigwright_all INTERFACE ${layers})

# A wheel contains the Python extensions only.
if(SKBUILD OR NOT RIGWRIGHT_INSTALL)
  return()
endif()

set(package lib/cmake/rigwright)
install(TARGETS rigwright_all ${layers} EXPORT rigwright ARCHIVE DESTINATION lib)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/cpp/rigwright/" DESTINATION include/rigwright
  FILES_MATCHING PATTERN "*.h" PATTERN "*-inl.h" EXCLUDE PATTERN cuda EXCLUDE)
install(DIRECTORY "${generated}/rigwright" DESTINATION include)
install(EXPORT rigwright NAMESPACE rigwright:: FILE rigwrightTargets.cmake DESTINATION ${package})

# The find modules that the config file needs: FindCHOLMOD only if the factorization uses CHOLMOD.
get_target_property(linked rigwright_linalg LINK_LIBRARIES)
set(RIGWRIGHT_USES_CHOLMOD OFF)
set(modules cmake/Findhwy.cmake)
if("CHOLMOD::CHOLMOD" IN_LIST linked)
  set(RIGWRIGHT_USES_CHOLMOD ON)
  list(APPEND modules cmake/FindCHOLMOD.cmake)
endif()
configure_package_config_file(cmake/rigwrightConfig.cmake.in "${PROJECT_BINARY_DIR}/rigwrightConfig.cmake"
  INSTALL_DESTINATION ${package})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/rigwrightConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES ${modules} "${PROJECT_BINARY_DIR}/rigwrightConfig.cmake"
  "${PROJECT_BINARY_DIR}/rigwrightConfigVersion.cmake" DESTINATION ${package})
