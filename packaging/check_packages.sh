#!/bin/bash
# SPDX-License-Identifier: MIT
# check_packages.sh FOLDER: installs the Debian packages of a folder in a root of their own, runs the demo there, builds
# programs against what was installed, and removes the packages again: nothing may stay. Needs to be root for chroot;
# otherwise it only unpacks them, and says so.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
debs=$(cd "$1" && pwd)
digits=$here/../demo/digits
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root

if [ "$(id -u)" -ne 0 ]; then
  for deb in "$debs"/*.deb; do dpkg-deb -x "$deb" "$root"; done
  LD_LIBRARY_PATH=$(dirname "$(find "$root" -name libort_c.so.1)") "$root/usr/bin/ortc" --version
  echo "only unpacked, not installed: a root of their own needs root"
  exit 0
fi

"$here/clean_root.sh" "$root" $(for deb in "$debs"/*.deb; do dpkg-deb -f "$deb" Depends; done |
  tr ',' '\n' | sed 's/(.*//; s/ //g' | grep -v '^libort-c1' | sort -u)
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin "$@"; }
files() { (cd "$root" && find . -path ./var -prune -o -path ./etc/ld.so.cache -prune -o -path ./tmp -prune -o -print | sort); }
inside ldconfig
files >"$work/before"
# One small grey picture, which only libort_c_extra.so can read.
printf 'P2 2 2 255 0 90 180 255' >"$root/tmp/picture.pgm"
picture() { inside ortc run /tmp/digits.onnx --input images=/tmp/picture.pgm --scale 255 2>&1; }

cp "$debs"/*.deb "$root/tmp/"
inside sh -c 'dpkg --install /tmp/*.deb' | sed 's/^/  /'
cp "$digits"/{digits.onnx,test_images.npy} "$root/tmp/"
inside sh -ec '
  cd /tmp
  ortc --version
  ortc compile digits.onnx -o digits_ctx.onnx
  ortc inspect digits_ctx.onnx --verify
  ortc run digits.onnx --input images=test_images.npy --output-dir source
  ortc run digits_ctx.onnx --input images=test_images.npy --output-dir compiled
  cmp source/logits.npy compiled/logits.npy' | sed 's/^/  /'
echo "installed; the demo runs, compiled and from source alike"

# Programs are built here and run there.
PKG_CONFIG_PATH=$(dirname "$(find "$root/usr" -name ort_c.pc)")
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR=
cat >"$work/program.cc" <<'CXX'
#include <cstdio>
#include "ort_c/ort_cxx.h"
int main() {
  const Ort::Env env;
  const Ort::Session session(env, "/tmp/digits_ctx.onnx", [] {
    Ort::SessionOptions options;
    options.AppendExecutionProvider("AOT");
    return options;
  }());
  return std::puts(session.GetOutputNames()[0].c_str()) < 0;
}
CXX
c++ -std=c++17 "$work/program.cc" $(pkg-config --cflags --libs ort_c) -o "$root/tmp/program"
c++ -std=c++17 "$work/program.cc" $(pkg-config --cflags ort_c) "$(find "$root/usr" -name libort_c.a)" \
  $(pkg-config --static --libs-only-l ort_c | sed 's/-lort_c //') -o "$root/tmp/program_alone"
inside /tmp/program | grep -qx logits
inside /tmp/program_alone | grep -qx logits
echo "programs that were built with them run"

picture >"$work/picture"
inside dpkg --purge libort-c1-extra | sed 's/^/  /'
if picture >"$work/picture"; then echo "pictures without libort-c1-extra?"; exit 1; fi
grep -q 'needs libort_c_extra.so (Debian package libort-c1-extra)' "$work/picture"
echo "pictures are read with libort-c1-extra, and without it its name is told"

inside dpkg --purge ortc-tools libort-c-dev libort-c1 | sed 's/^/  /'
files >"$work/after"
diff "$work/before" "$work/after" || { echo "files stayed behind"; exit 1; }
if inside dpkg --list | grep 'libort-c\|ortc-tools'; then exit 1; fi
echo "removed; nothing stayed"
