#!/bin/sh
# In the emulated machine, before the table: a header of 54 simulated lines that calls itself a Pi 4's, and a camera.
set -e
modprobe gpio-sim
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
pi=/sys/kernel/config/gpio-sim/pi
mkdir -p $pi/bank0
echo 54 >$pi/bank0/num_lines
echo pinctrl-bcm2711 >$pi/bank0/label
echo 1 >$pi/live
# gpiozero asks which Pi it is on; this one says a Pi 4B.
(cat /proc/cpuinfo; printf 'Revision\t: c03115\n') >/run/cpuinfo
mount --bind /run/cpuinfo /proc/cpuinfo
modprobe v4l2loopback video_nr=10 card_label=table-camera exclusive_caps=0
