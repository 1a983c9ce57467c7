#!/usr/bin/env bash
# Boots a small Linux on a Bochs CPU model and runs a static x86-64 program on it.
#
#   tools/emulate/bochs.sh [OPTION...] MODEL PROGRAM [ARGUMENT...]
#
#   --dir DIR            where setup.sh installed Bochs
#   --exclude FEATURES   the CPU lacks these features (Bochs' names, separated by commas)
#   --without FEATURE    the guest's kernel ignores this CPU feature, though CPUID reports it (avx:
#                        it does not save YMM registers; avx512f: it does not save ZMM registers)
#   --kernel OPTIONS     more options for the guest's kernel (noxsave)
#   --rewrite-xop        work around Bochs' XOP faults: see rewrite_xop.py
#   --timeout SECONDS    120 by default
#
# Prints the program's output and standard error to standard output, and exits with its exit code.
# Passes every SETWISE_ environment variable to the program. Works as a cargo runner. Exit code 99:
# the program did not finish (EMULATE_VERBOSE=1 shows the console).
set -euo pipefail
HERE=$(dirname "$(readlink -f "$0")")
DIR=${SETWISE_EMULATE:-$HOME/.cache/setwise-emulate}
EXCLUDE=; KERNEL=; WITHOUT=; REWRITE=; TIMEOUT=120
while :; do
  case ${1:-} in
    --dir) DIR=$2; shift 2 ;;
    --kernel) KERNEL=$2; shift 2 ;;
    --exclude) EXCLUDE=$2; shift 2 ;;
    --without) WITHOUT+=,$2; shift 2 ;;
    --rewrite-xop) REWRITE=1; shift ;;
    --timeout) TIMEOUT=$2; shift 2 ;;
    *) break ;;
  esac
done
MODEL=${1:?usage: tools/emulate/bochs.sh [OPTION...] MODEL PROGRAM [ARGUMENT...]}
PROGRAM=${2:?no program given}; shift 2

# Build the boot image.
W=$(mktemp -d); trap 'rm -rf "$W"' EXIT
mkdir -p "$W/root" "$W/iso"
cp "$DIR/bochs/init" "$W/root/init"
if [ "$REWRITE" ]; then
  "$HERE/rewrite_xop.py" "$PROGRAM" "$W/root/program" >&2
else
  cp "$PROGRAM" "$W/root/program"
fi
strip "$W/root/program" 2>/dev/null || true
chmod +x "$W/root/program"
for argument in "$@"; do printf '%s\n' "$argument"; done > "$W/root/arguments"
env | grep '^SETWISE_' > "$W/root/environment" || true
(cd "$W/root" && find . | cpio -o -H newc -R 0:0 --quiet) > "$W/iso/initrd"
cp "$DIR/bochs/vmlinuz" /usr/lib/ISOLINUX/isolinux.bin \
  /usr/lib/syslinux/modules/bios/ldlinux.c32 "$W/iso/"
# Instructions per second of guest time. The guest's kernel gets the frequency of the time-stamp
# counter as an option, because CPUID leaf 15h is wrong.
IPS=50000000
OPTIONS="console=ttyS0,115200 nokaslr mitigations=off nopti nopku noxsaves no5lvl"
OPTIONS+=" clearcpuid=fsrm,pku,xsaves,xsavec$WITHOUT cryptomgr.notests random.trust_cpu=on"
OPTIONS+=" nowatchdog lpj=1000000 tsc=reliable tsc_early_khz=$((IPS / 1000)) no_timer_check"
OPTIONS+=" panic=-1 oops=panic"
[ "${EMULATE_VERBOSE:-}" ] || OPTIONS+=" quiet"
cat > "$W/iso/isolinux.cfg" <<CONF
DEFAULT l
PROMPT 0
TIMEOUT 0
LABEL l
 KERNEL vmlinuz
 INITRD initrd
 APPEND $OPTIONS $KERNEL
CONF
xorriso -as mkisofs -quiet -o "$W/boot.iso" -b isolinux.bin -c boot.cat \
  -no-emul-boot -boot-load-size 4 -boot-info-table "$W/iso" 2>/dev/null

# Configure the emulated machine.
ROOT=$DIR/bochs/root; LIB=$ROOT/usr/lib/x86_64-linux-gnu; SHARE=$ROOT/usr/share/bochs
EXCLUDE=${EXCLUDE:+exclude_features=\"$EXCLUDE\", }
cat > "$W/bochsrc" <<CONF
config_interface: textconfig
display_library: rfb, options="timeout=0"
romimage: file=$SHARE/BIOS-bochs-latest
vgaromimage: file=$SHARE/VGABIOS-lgpl-latest
megs: 256
cpu: model=$MODEL, ${EXCLUDE}count=1, ips=$IPS, reset_on_triple_fault=0
clock: sync=none, time0=local
pci: enabled=1, chipset=i440fx
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=$W/boot.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$W/console
log: $W/log
panic: action=fatal
error: action=report
info: action=report
debug: action=ignore
speaker: enabled=0
CONF
# The only display that Bochs offers here listens on a network port, so run it without a network.
ALONE=; unshare -n true 2>/dev/null && ALONE="unshare -n"
export LTDL_LIBRARY_PATH=$LIB/bochs/plugins BXSHARE=$SHARE
RC=0
timeout -k 10 "$TIMEOUT" $ALONE "$LIB/ld-linux-x86-64.so.2" \
  --library-path "$LIB:/usr/lib/x86_64-linux-gnu:/lib/x86_64-linux-gnu" \
  "$ROOT/usr/bin/bochs-bin" -q -f "$W/bochsrc" > "$W/out" 2>&1 < /dev/null || RC=$?

# Print the program's output, and exit with its exit code.
touch "$W/console" "$W/log"
tr -d '\r' < "$W/console" > "$W/text"
if [ "${EMULATE_VERBOSE:-}" ]; then
  cat "$W/text"
else
  sed '1,/^GUEST-START$/d; /^GUEST-EXIT /,$d' "$W/text"
fi
CODE=$(sed -n 's/^GUEST-EXIT //p' "$W/text" | tail -1)
if [ -z "$CODE" ]; then
  echo "bochs.sh: the program did not finish on $MODEL within $TIMEOUT s (Bochs: $RC)" >&2
  tail -5 "$W/log" >&2
  exit 99
fi
exit "$CODE"
