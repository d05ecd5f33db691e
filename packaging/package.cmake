# Files for packagers and users of an installed Heddle: heddle.pc, find_package(Heddle), and the Debian package.
# Paths in them are relative, so an installed tree may be moved.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Heddle)
file(RELATIVE_PATH PREFIX_FROM_PC /p/${pc_dir} /p)
file(RELATIVE_PATH PREFIX_FROM_CMAKE /p/${config_dir} /p)
configure_file(packaging/heddle.pc.in packaging/heddle.pc @ONLY)
configure_file(packaging/HeddleConfig.cmake.in packaging/HeddleConfig.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/packaging/HeddleConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/packaging/heddle.pc DESTINATION ${pc_dir})
install(FILES ${CMAKE_BINARY_DIR}/packaging/HeddleConfig.cmake ${CMAKE_BINARY_DIR}/packaging/HeddleConfigVersion.cmake
        DESTINATION ${config_dir})

# `make deb`. Libraries come from dpkg-shlibdeps, but for Z3, to which nothing is linked; `heddle cc` needs a clang for
# which there is a plugin.
file(REAL_PATH ${z3_file} z3_real)
execute_process(COMMAND dpkg-query --search ${z3_real} OUTPUT_VARIABLE z3_package ERROR_QUIET)
string(REGEX MATCH "^[^:\n]+" z3_package "${z3_package}")
list(TRANSFORM HEDDLE_PASS_VERSIONS REPLACE "(.+)" "clang-\\1" OUTPUT_VARIABLE compilers)
list(JOIN compilers " | " compilers)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_CONTACT "The Heddle developers <heddle@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "predictive data race detector for C and C++")
set(CPACK_PACKAGE_DESCRIPTION "Heddle records one run of a multithreaded program, works out which other thread
interleavings it could have taken, and reports conflicting accesses that can
happen at the same time in one of them. Each report comes with a schedule, and
Heddle runs the program under it to confirm the race.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS ${compilers})
if(z3_package)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", ${z3_package}")
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS gdb)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
