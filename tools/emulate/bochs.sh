#!/usr/bin/env bash
# bochs [--dir DIR] [--exclude FEATURES] [--without FEATURE] [--kernel OPTIONS] [--rewrite-xop] [--timeout SECONDS] MODEL PROGRAM [ARGUMENT...]
# Boots a small Linux on a Bochs CPU model and runs a static x86-64 program on it; its output and exit code come back (standard
# error joins standard output). Every SETWISE_ variable of the environment is passed on. Works as a cargo runner.
# --exclude: the CPU lacks these (by Bochs' names, with commas between). --without: the guest's kernel does not use this CPU feature (avx: it does not save YMM registers; avx512f: nor ZMM), while CPUID
# still has it. --kernel: more options for the kernel (noxsave). --rewrite-xop: see rewrite_xop.py.
# Exit code 99: the program did not finish (LAB_VERBOSE=1 shows the console).
set -euo pipefail
HERE=$(dirname "$(readlink -f "$0")"); DIR=${SETWISE_LAB:-$HOME/.cache/setwise-lab}; EXCLUDE=; KERNEL=; WITHOUT=; REWRITE=; TIMEOUT=120
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
MODEL=${1:?usage: bochs [OPTION...] MODEL PROGRAM [ARGUMENT...]}
PROGRAM=${2:?program missing}; shift 2
W=$(mktemp -d); trap 'rm -rf "$W"' EXIT
mkdir -p "$W/root" "$W/iso"
cp "$DIR/bochs/init" "$W/root/init"
if [ "$REWRITE" ]; then "$HERE/rewrite_xop.py" "$PROGRAM" "$W/root/program" >&2; else cp "$PROGRAM" "$W/root/program"; fi
strip "$W/root/program" 2>/dev/null || true
chmod +x "$W/root/program"
for argument in "$@"; do printf '%s\n' "$argument"; done > "$W/root/arguments"
env | grep '^SETWISE_' > "$W/root/environment" || true
(cd "$W/root" && find . | cpio -o -H newc -R 0:0 --quiet) > "$W/iso/initrd"
cp "$DIR/bochs/vmlinuz" /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$W/iso/"
IPS=50000000 # instructions per second of the guest's clock; the kernel must be told, because CPUID leaf 15h is wrong
OPTIONS="console=ttyS0,115200 nokaslr mitigations=off nopti nopku noxsaves no5lvl clearcpuid=fsrm,pku,xsaves,xsavec$WITHOUT cryptomgr.notests"
OPTIONS+=" random.trust_cpu=on nowatchdog lpj=1000000 tsc=reliable tsc_early_khz=$((IPS / 1000)) no_timer_check panic=-1 oops=panic"
[ "${LAB_VERBOSE:-}" ] || OPTIONS+=" quiet"
printf 'DEFAULT l\nPROMPT 0\nTIMEOUT 0\nLABEL l\n KERNEL vmlinuz\n INITRD initrd\n APPEND %s %s\n' "$OPTIONS" "$KERNEL" > "$W/iso/isolinux.cfg"
xorriso -as mkisofs -quiet -o "$W/boot.iso" -b isolinux.bin -c boot.cat -no-emul-boot -boot-load-size 4 -boot-info-table "$W/iso" 2>/dev/null
ROOT=$DIR/bochs/root; LIB=$ROOT/usr/lib/x86_64-linux-gnu; SHARE=$ROOT/usr/share/bochs
cat > "$W/bochsrc" <<CONF
config_interface: textconfig
display_library: rfb, options="timeout=0"
romimage: file=$SHARE/BIOS-bochs-latest
vgaromimage: file=$SHARE/VGABIOS-lgpl-latest
megs: 256
cpu: model=$MODEL, ${EXCLUDE:+exclude_features=\"$EXCLUDE\", }count=1, ips=$IPS, reset_on_triple_fault=0
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
ALONE=; unshare -n true 2>/dev/null && ALONE="unshare -n" # the only display there is listens on a port: keep it off the network
export LTDL_LIBRARY_PATH=$LIB/bochs/plugins BXSHARE=$SHARE
RC=0
timeout -k 10 "$TIMEOUT" $ALONE "$LIB/ld-linux-x86-64.so.2" --library-path "$LIB:/usr/lib/x86_64-linux-gnu:/lib/x86_64-linux-gnu" \
  "$ROOT/usr/bin/bochs-bin" -q -f "$W/bochsrc" > "$W/out" 2>&1 < /dev/null || RC=$?
touch "$W/console" "$W/log"
tr -d '\r' < "$W/console" > "$W/text"
if [ "${LAB_VERBOSE:-}" ]; then cat "$W/text"; else sed '1,/^GUEST-START$/d; /^GUEST-EXIT /,$d' "$W/text"; fi
CODE=$(sed -n 's/^GUEST-EXIT //p' "$W/text" | tail -1)
[ "$CODE" ] || { echo "bochs: the program did not finish on $MODEL within $TIMEOUT s (bochs ended with $RC)" >&2; tail -5 "$W/log" >&2; exit 99; }
exit "$CODE"
