# find_package(setwise) defines the targets setwise::static, setwise::shared and setwise::setwise.
# setwise::setwise is the static library if it is installed, else the shared library. This file is
# installed in PREFIX/share/cmake/setwise.
get_filename_component(_setwise_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_path(setwise_INCLUDE_DIR setwise.h PATHS "${_setwise_prefix}/include" NO_DEFAULT_PATH)
set(_setwise_folders "${_setwise_prefix}/lib" "${_setwise_prefix}/lib64"
  "${_setwise_prefix}/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
find_library(setwise_STATIC_LIBRARY NAMES libsetwise.a setwise.lib
  PATHS ${_setwise_folders} NO_DEFAULT_PATH)
find_library(setwise_SHARED_LIBRARY NAMES libsetwise.so libsetwise.dylib libsetwise.dll.a setwise.dll.lib
  PATHS ${_setwise_folders} NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
set(_setwise_library setwise_SHARED_LIBRARY)
if(setwise_STATIC_LIBRARY)
  set(_setwise_library setwise_STATIC_LIBRARY)
endif()
find_package_handle_standard_args(setwise REQUIRED_VARS ${_setwise_library} setwise_INCLUDE_DIR)

foreach(_setwise_kind static shared)
  string(TOUPPER ${_setwise_kind} _setwise_upper)
  if(setwise_FOUND AND setwise_${_setwise_upper}_LIBRARY AND NOT TARGET setwise::${_setwise_kind})
    add_library(setwise::${_setwise_kind} UNKNOWN IMPORTED)
    set_target_properties(setwise::${_setwise_kind} PROPERTIES
      IMPORTED_LOCATION "${setwise_${_setwise_upper}_LIBRARY}"
      INTERFACE_INCLUDE_DIRECTORIES "${setwise_INCLUDE_DIR}")
    if(NOT TARGET setwise::setwise)
      add_library(setwise::setwise INTERFACE IMPORTED)
      set_target_properties(setwise::setwise PROPERTIES
        INTERFACE_LINK_LIBRARIES setwise::${_setwise_kind})
    endif()
  endif()
endforeach()
# Makes the linker drop unused sections.
if(TARGET setwise::static AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set_property(TARGET setwise::static PROPERTY INTERFACE_LINK_OPTIONS "LINKER:--gc-sections")
endif()
