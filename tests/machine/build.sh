#!/bin/bash
# Builds the disk of an emulated machine that runs this project: Debian 12 with systemd, udev, gpio-sim and v4l2loopback.
# usage (as root on Debian 12): tests/machine/build.sh CACHE
# Prints the folder with vmlinuz, initrd.img, root.img and key; it is made once for each content of what it is made from.
set -euo pipefail

HERE=$(cd -P "$(dirname "$0")" && pwd)
PROJECT=$(cd -P "$HERE/../.." && pwd)
NEEDS="qemu-system-x86 mmdebstrap e2fsprogs linux-source-6.1 openssh-client gcc make"
SUITE=bookworm
SOURCE=linux-source-6.1

key=$(cat "$HERE/build.sh" "$PROJECT/requirements/lock.txt" | sha256sum | cut -c1-16)
OUT=$(realpath -m "$1")/$key
if [ -f "$OUT/done" ]; then
    echo "$OUT"
    exit
fi
say() { echo "[$SECONDS s] $*" >&2; }

missing=
for package in $NEEDS; do dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"; done
if [ -n "$missing" ]; then
    say "problem: needed to build the machine: apt-get install --no-install-recommends$missing"
    exit 2
fi

mkdir -p "$OUT"
cd "$OUT"
R=$OUT/root
rm -rf "$R"
mmdebstrap --quiet --variant=minbase --mode=root --aptopt='Apt::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    --include=systemd,systemd-sysv,udev,kmod,dbus,iproute2,procps,openssh-server,linux-image-amd64,python3,dosfstools \
    $SUITE "$R" >&2
say "Debian: $(du -sh "$R" | cut -f1)"

# --- kernel modules that Debian leaves out: gpio-sim (with the interrupt simulator that it needs) and v4l2loopback -------
KV=$(ls "$R/lib/modules")
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "linux-headers-$KV" >/dev/null
B=$OUT/mods
rm -rf "$B"
mkdir -p "$B/gs"
tar -C "$B" -xJf "/usr/src/$SOURCE.tar.xz" \
    $SOURCE/drivers/gpio/gpio-sim.c $SOURCE/drivers/gpio/gpiolib.h $SOURCE/kernel/irq/irq_sim.c
cp "$B/$SOURCE"/drivers/gpio/gpio-sim.c "$B/$SOURCE"/drivers/gpio/gpiolib.h "$B/$SOURCE"/kernel/irq/irq_sim.c "$B/gs/"
# irq_to_desc is not exported to modules; the inline helper is the same thing.
sed -i 's/irq_to_desc(irqnum)/irq_data_to_desc(irq_get_irq_data(irqnum))/' "$B/gs/irq_sim.c"
printf 'obj-m := gpio-sim-oot.o\ngpio-sim-oot-y := gpio-sim.o irq_sim.o\n' >"$B/gs/Makefile"
make -s -C "/usr/src/linux-headers-$KV" M="$B/gs" modules >"$B/log" 2>&1
(cd "$B" && apt-get download -qq v4l2loopback-dkms 2>/dev/null && dpkg-deb -x v4l2loopback-dkms*.deb lb)
LB=$(echo "$B"/lb/usr/src/v4l2loopback-*)
make -s KERNELRELEASE="$KV" -C "/usr/src/linux-headers-$KV" M="$LB" modules >>"$B/log" 2>&1
U=$R/lib/modules/$KV/updates
mkdir -p "$U"
cp "$B/gs/gpio-sim-oot.ko" "$U/gpio-sim.ko"
cp "$LB/v4l2loopback.ko" "$U/"
strip --strip-debug "$U"/*.ko
chroot "$R" depmod -a "$KV"
say "modules for $KV"

# --- what the project needs, as it is locked, for the Python of the machine ----------------------------------------------
chroot "$R" python3 -m venv --without-pip /opt/venv
sed -e 's/ *--hash=[^ ]*//g; s/ *\\$//' "$PROJECT/requirements/lock.txt" | grep -E '^[a-z0-9]' >constraints.txt
python3 -m pip install --quiet --no-compile --only-binary :all: --python-version 3.11 --implementation cp --abi cp311 \
    --platform manylinux2014_x86_64 --platform manylinux_2_28_x86_64 --platform manylinux_2_34_x86_64 --platform any \
    --target "$R/opt/venv/lib/python3.11/site-packages" --constraint constraints.txt \
    aiohttp aiohttp-sse argon2-cffi click cryptography msgspec numpy structlog opencv-python-headless \
    gpiozero lgpio 'sqlalchemy[asyncio]' aiosqlite jinja2 reportlab segno zeroconf >&2
# The services may not write beside the packages, and emulated compiling takes minutes at each start.
chroot "$R" /opt/venv/bin/python -m compileall -q /opt/venv/lib >/dev/null || true
say "packages"

# --- the machine's own settings ------------------------------------------------------------------------------------------
[ -f key ] || ssh-keygen -q -t ed25519 -N '' -f key
install -d -m 700 "$R/root/.ssh"
cp key.pub "$R/root/.ssh/authorized_keys"
chroot "$R" passwd -qd root
echo tablevm >"$R/etc/hostname"
echo '/dev/vda / ext4 defaults,noatime 0 1' >"$R/etc/fstab"
printf '[Match]\nName=e*\n[Network]\nDHCP=yes\n' >"$R/etc/systemd/network/80-dhcp.network"
chroot "$R" systemctl -q enable systemd-networkd ssh
chroot "$R" systemctl -q mask apt-daily.timer apt-daily-upgrade.timer systemd-networkd-wait-online
cp "$HERE/guest-up.sh" "$R/usr/local/sbin/guest-up"
cp "$HERE/guest-up.service" "$R/etc/systemd/system/"
chroot "$R" systemctl -q enable guest-up
cp "$R"/boot/vmlinuz-* vmlinuz
cp "$R"/boot/initrd.img-* initrd.img
rm -rf "$R"/boot/initrd.img-* "$R"/var/lib/apt/lists/* "$R"/root/.cache
rm -f root.img
truncate -s 3G root.img
mke2fs -q -t ext4 -m 0 -d "$R" root.img
rm -rf "$R" "$B"
say "disk: $(du -h root.img | cut -f1)"
touch done
echo "$OUT"
