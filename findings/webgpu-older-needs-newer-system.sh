#!/bin/sh
# Who bisects a change of Dawn by the releases of npm `webgpu` meets older releases that need a newer
# system than newer ones do: 0.2.0 to 0.3.0 for linux-x64 are linked against GLIBCXX_3.4.32 and
# GLIBC_2.38, so that Debian 12 cannot load them; 0.3.3 and later ask for GLIBCXX_3.4.30 and GLIBC_2.34,
# and load there. A search that halves between the oldest release and the newest has to pass over those
# that do not load, also at its ends.
# The files are read, not loaded: the answer is the same on every system.
#
# Output seen on 2026-11-30, Node 20.20.2:
#   0.2.0 needs GLIBCXX_3.4.32 GLIBC_2.38
#   0.3.0 needs GLIBCXX_3.4.32 GLIBC_2.38
#   0.3.3 needs GLIBCXX_3.4.30 GLIBC_2.34
#   0.6.2 needs GLIBCXX_3.4.30 GLIBC_2.34
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
newest() {
  grep -aoE "$2" "$1" | sort -uV | tail -n 1
}
for release in 0.2.0 0.3.0 0.3.3 0.6.2; do
  mkdir "$release"
  npm install --prefix "$release" --no-audit --no-fund --ignore-scripts --silent "webgpu@$release"
  addon=$(find "$release" -path '*linux-x64*' -name '*dawn.node')
  echo "$release needs $(newest "$addon" 'GLIBCXX_3\.4\.[0-9]+') $(newest "$addon" 'GLIBC_2\.[0-9]+')"
done | tee seen
cat > expected <<'TXT'
0.2.0 needs GLIBCXX_3.4.32 GLIBC_2.38
0.3.0 needs GLIBCXX_3.4.32 GLIBC_2.38
0.3.3 needs GLIBCXX_3.4.30 GLIBC_2.34
0.6.2 needs GLIBCXX_3.4.30 GLIBC_2.34
TXT
diff expected seen
