#!/usr/bin/env bash
# Builds the C library and installs it in the same layout as cargo-c: headers, static and dynamic
# library, files for pkg-config and CMake.
#
#   tools/capi-install.sh PREFIX [TARGET]
#
# TARGET is a Rust target, by default the machine's own. LD, OBJCOPY, AR and CC name the binutils
# and the C compiler for it.
#
# cargo's static library defines hundreds of symbols of Rust's core library, among them the panic
# handler, which clash with those of another Rust library in the same program. The installed one is
# a single object in which only the functions of setwise.h are global. They are hidden, so a shared
# library that contains them does not export them.
set -euo pipefail
[ $# = 1 ] || [ $# = 2 ] || { echo "usage: tools/capi-install.sh PREFIX [TARGET]" >&2; exit 2; }
mkdir -p "$1"
prefix=$(cd "$1" && pwd)
. "$(dirname "$0")/common.sh"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
compatible=${version%.*} # Versions 0.x.y are compatible with the same 0.x.
platform=${2:-$(rustc -vV | sed -n 's/^host: //p')}
case $platform in
  *-apple-* | *-msvc) cannot "not for $platform: use cargo-c" ;;
esac
options=(--quiet --release -p setwise-capi ${2:+--target "$2"})
built=$target/${2:+$2/}release
case ${2:-} in
  *-windows-gnu) tools=${2%%-*}-w64-mingw32- ;;
  aarch64-unknown-linux-gnu) tools=aarch64-linux-gnu- ;;
  *) tools= ;;
esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Writes $prefix/lib/libsetwise.a.
archive() {
  local ld=${LD:-${tools}ld} objcopy=${OBJCOPY:-${tools}objcopy} ar=${AR:-${tools}ar} name
  local cc=${CC:-${tools:+${tools}gcc}}
  local -a functions roots=() drop=(--gc-sections)
  functions=($(grep -o 'setwise_[a-z_]*(' crates/capi/include/setwise.h | tr -d '(' | sort -u))
  for name in "${functions[@]}"; do roots+=(-u "$name"); done
  # An object that hides the functions: the linker merges the visibilities.
  case $platform in
    *-windows-*)
      # The linker cannot drop sections from a relocatable object without losing symbols.
      drop=()
      echo '.section .drectve, "yn"'
      printf '.ascii " -exclude-symbols:%s"\n' "${functions[@]}" ;;
    *)
      echo '.section .note.GNU-stack, "", %progbits'
      echo '.section .unused, "a", %progbits'
      printf '.hidden %s\n' "${functions[@]}"
      printf '.dc.a %s\n' "${functions[@]}" ;;
  esac > "$scratch/hide.s"
  "${cc:-cc}" -c -o "$scratch/hide.o" "$scratch/hide.s"
  "$ld" -r "${drop[@]}" "${roots[@]}" -o "$scratch/setwise.o" "$scratch/hide.o" \
    "$built/libsetwise.a"
  # Rust's core library contains LLVM bitcode. With -flto, a linker with an older LLVM rejects it.
  "$objcopy" --remove-section=.llvmbc --remove-section=.llvmcmd --wildcard \
    --keep-global-symbol='setwise_*' "$scratch/setwise.o"
  rm -f "$prefix/lib/libsetwise.a"
  "$ar" rcs "$prefix/lib/libsetwise.a" "$scratch/setwise.o"
}

cargo build "${options[@]}"
mkdir -p "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/share/cmake/setwise"
cp crates/capi/include/*.h crates/capi/include/*.hpp "$prefix/include/"
cp crates/capi/cmake/*.cmake "$prefix/share/cmake/setwise/"
archive
case $platform in
  *-windows-*)
    mkdir -p "$prefix/bin"
    cp "$built/libsetwise.dll.a" "$prefix/lib/"
    cp "$built/setwise.dll" "$prefix/bin/" ;;
  *)
    cargo rustc "${options[@]}" --crate-type cdylib -- \
      -Clink-arg="-Wl,-soname,libsetwise.so.$compatible"
    rm -f "$prefix"/lib/libsetwise.so*
    cp "$built/libsetwise.so" "$prefix/lib/libsetwise.so.$version"
    ln -s "libsetwise.so.$version" "$prefix/lib/libsetwise.so.$compatible"
    ln -s "libsetwise.so.$compatible" "$prefix/lib/libsetwise.so" ;;
esac
# The paths in setwise.pc are relative to the file, so the installed tree can be moved. `Libs` names
# the static library, because with -lsetwise the linker would prefer the dynamic one.
tools/notices.py c "$prefix/share/doc/setwise"
cat > "$prefix/lib/pkgconfig/setwise.pc" <<PC
prefix=\${pcfiledir}/../..
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: setwise
Description: Set-wise slider attacks on chess bitboards
Version: $version
Libs: \${libdir}/libsetwise.a
Cflags: -I\${includedir}
PC
