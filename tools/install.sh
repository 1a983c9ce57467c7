#!/usr/bin/env bash
# Installs the Debian packages that are missing.
#
#   tools/install.sh PACKAGE...
#
# Exit code: 0 all are installed, 3 they cannot be installed on this machine.
set -euo pipefail
cannot() { echo "install.sh: $*" >&2; exit 3; }

# Run one instance at a time: apt-get fails while another apt-get updates the package lists.
exec 9> /tmp/setwise-install.lock
flock 9
missing=()
for package; do
  dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' ||
    missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
command -v apt-get > /dev/null || cannot "needs apt-get to install ${missing[*]}"
[ "$(id -u)" = 0 ] || cannot "needs root to install ${missing[*]}"
echo "install.sh: installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y -qq --no-install-recommends "${missing[@]}" 9>&- > /dev/null; }
install 2> /dev/null || { apt-get update -qq 9>&- > /dev/null && install; } ||
  cannot "apt-get cannot install ${missing[*]}"
