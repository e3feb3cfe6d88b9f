#!/bin/bash
# SPDX-License-Identifier: MIT
# clean_root.sh ROOT PACKAGE...: makes a folder that is a small Debian of its own: the essential packages and the named
# ones with all they depend on, copied from this machine with their entries in dpkg's database. Needs no network.
set -euo pipefail
root=$1
shift

essential() { dpkg-query -W -f '${Package}\t${Essential}\n' | awk '$2 == "yes" { print $1 }'; }
closure() {  # the packages given, and those they need, as far as they are installed
  apt-cache depends --recurse --installed --no-recommends --no-suggests --no-conflicts --no-breaks \
    --no-replaces --no-enhances "$@" | grep -o '^[a-z0-9][a-z0-9.+-]*' | sort -u
}

mkdir -p "$root"/{usr/{bin,sbin,lib,lib64},var/lib/dpkg/{info,updates},tmp,dev,etc}
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done
mknod -m 666 "$root/dev/null" c 1 3 2>/dev/null || : >"$root/dev/null"

for package in $(closure $(essential) dpkg "$@"); do
  status=$(dpkg-query -s "$package" 2>/dev/null) || continue  # a virtual package
  grep -q '^Status: install ok installed' <<<"$status" || continue
  printf '%s\n\n' "$status" >>"$root/var/lib/dpkg/status"
  for list in /var/lib/dpkg/info/"$package".* /var/lib/dpkg/info/"$package":*; do
    [ ! -e "$list" ] || cp "$list" "$root/var/lib/dpkg/info/"
  done
  dpkg -L "$package"
done |
  # Folders that are links to others in /usr are links in the new root as well.
  sed -E 's#^/(bin|sbin|lib|lib64)(/|$)#/usr/\1\2#; s#^/##; /^\.?$/d; /^usr\/(bin|sbin|lib|lib64)$/d' |
  while read -r file; do
    if [ -e "/$file" ] || [ -L "/$file" ]; then printf '%s\n' "$file"; fi
  done | sort -u >"$root/tmp/files"
tar -C / --no-recursion --files-from="$root/tmp/files" -cf - | tar -C "$root" -xf -
rm "$root/tmp/files"
cp /etc/passwd /etc/group "$root/etc/"
