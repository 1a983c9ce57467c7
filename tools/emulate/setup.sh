#!/usr/bin/env bash
# Installs parts of the emulators, except those already installed from the same recipe.
#
#   tools/emulate/setup.sh DIR PART...
#
#   packages     emulators, cross linkers and disassemblers from the machine's Debian mirror (root)
#   bochs        Bochs 3.0 with its C library, a Linux kernel and an /init, all under DIR
#
# Only `packages` changes anything outside DIR. Exit code: 0 done, 2 bad usage, 3 not possible on
# this machine.
set -euo pipefail
HERE=$(dirname "$(readlink -f "$0")")
DIR=$(readlink -m "${1:?usage: tools/emulate/setup.sh DIR PART...}"); shift
export DEBIAN_FRONTEND=noninteractive

cannot() { echo "emulate/setup.sh: $*" >&2; exit 3; }
say() { echo "emulate/setup.sh: $*" >&2; }

PACKAGES=(
  qemu-user # x86 models, AArch64, i686, s390x in user mode
  gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-i686-linux-gnu libc6-dev-i386-cross
  gcc-s390x-linux-gnu libc6-dev-s390x-cross
  wasi-libc lld-22 wabt # wasm: C library, linker, validator
  bochs bochs-term bochsbios vgabios # Debian's older Bochs brings the libraries that Bochs 3.0 loads
  isolinux syslinux-common xorriso cpio # the boot image for Bochs
  binutils # disassembler for objectcode.py
)

packages() {
  [ "$(uname -m)" = x86_64 ] || cannot "needs an x86-64 machine, this is $(uname -m)"
  command -v node >/dev/null || PACKAGES+=(nodejs)
  "$HERE/../install.sh" "${PACKAGES[@]}" || cannot "needs packages that Debian 12 has"
}

# A private apt root leaves the machine's own sources and architectures unchanged.
mirror() {
  sed -nE "s/^(URIs:|deb( \[[^]]*\])?) *(http[^ ]*\/$1)\/?( .*)?\$/\3/p" \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -1 || true
}
apt_root() { # NAME ARCHITECTURES SOURCES
  local root=$DIR/apt-$1
  mkdir -p "$root/lists/partial" "$root/cache/archives/partial"
  : > "$root/status"
  printf '%b' "$3" > "$root/sources.list"
  cat > "$root/apt.conf" <<CONF
APT::Architecture "amd64";
APT::Architectures { $2 };
Acquire::Languages "none";
APT::Sandbox::User "root";
Dir::Etc::sourcelist "$root/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$root/lists";
Dir::State::status "$root/status";
Dir::Cache "$root/cache";
CONF
  APT_CONFIG=$root/apt.conf apt-get update -qq ||
    cannot "cannot read the package lists of $(head -1 "$root/sources.list")"
}
unpack() { # NAME DESTINATION PACKAGE...
  local name=$1 to=$2 temporary deb; shift 2; temporary=$(mktemp -d)
  (cd "$temporary" && APT_CONFIG=$DIR/apt-$name/apt.conf apt-get download -qq "$@") ||
    cannot "cannot download $*"
  mkdir -p "$to"
  for deb in "$temporary"/*.deb; do dpkg-deb -x "$deb" "$to"; done
  rm -rf "$temporary"
}
dependency() { # NAME PACKAGE PREFIX: the first dependency of PACKAGE with that prefix
  APT_CONFIG=$DIR/apt-$1/apt.conf apt-cache depends "$2" |
    awk -v p="$3" '/Depends:/ && $2 ~ "^" p {print $2; exit}'
}
debian() { # sets MAIN and SECURITY
  MAIN=$(mirror debian); SECURITY=$(mirror debian-security)
  [ -n "$MAIN" ] || cannot "no Debian mirror in /etc/apt/sources.list or sources.list.d"
  : "${SECURITY:=$MAIN-security}"
}
bookworm() {
  debian
  apt_root bookworm '"amd64";' \
    "deb $MAIN bookworm main\ndeb $SECURITY bookworm-security main\n"
}

bochs() {
  say "installing Bochs 3.0 and a kernel for it"
  debian; rm -rf "$DIR/bochs"; mkdir -p "$DIR/bochs"
  # Bochs 2.7 returns the complement for GF2P8AFFINEQB. 3.0 needs a newer C library than Debian 12
  # has.
  apt_root trixie '"amd64";' "deb $MAIN trixie main\n"
  unpack trixie "$DIR/bochs/root" bochs bochsbios vgabios libc6
  bookworm
  unpack bookworm "$DIR/bochs/kernel" "$(dependency bookworm linux-image-cloud-amd64 linux-image-6)"
  cp "$DIR"/bochs/kernel/boot/vmlinuz-* "$DIR/bochs/vmlinuz"
  rm -rf "$DIR/bochs/kernel" "$DIR/apt-trixie"
  rustc --edition 2024 -O -C target-feature=+crt-static -C panic=abort -C strip=symbols \
    "$HERE/bochs_init.rs" -o "$DIR/bochs/init"
}

mkdir -p "$DIR"
exec 9> "$DIR/lock"; flock 9
for part in "$@"; do
  case $part in
    packages) packages; continue ;;
    bochs) ;;
    *) echo "emulate/setup.sh: unknown part $part" >&2; exit 2 ;;
  esac
  # Bochs is installed again if the recipe has changed.
  version=$(declare -f bochs debian apt_root bookworm | cat - "$HERE/bochs_init.rs" | sha256sum)
  [ -e "$DIR/done/bochs" ] && [ "$(cat "$DIR/done/bochs")" = "$version" ] && continue
  command -v rustc >/dev/null || cannot "needs rustc in PATH"
  packages
  bochs
  mkdir -p "$DIR/done"; echo "$version" > "$DIR/done/bochs"
done
