#!/bin/sh
# sh tools/run.sh [FILE]
# Installs what is missing (Debian and kin), builds a release, and opens the window on FILE or on the sample `pingpong`.
# Where there is no display it draws the timeline into NAME-timeline.svg in the current folder and says where.
set -eu

case ${1-} in
  -h | --help)
    echo "Usage: sh tools/run.sh [FILE]"
    echo "FILE: a kernel (.py), Triton IR (.ttir, .mlir), a passes_dump folder, or sample:NAME. Default: sample:pingpong"
    exit 0
    ;;
esac
if [ $# -gt 1 ]; then
  echo "Usage: sh tools/run.sh [FILE]" >&2
  exit 2
fi

here=$(pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
input=${1-sample:pingpong}
# The build runs in the project's folder; a relative name means the caller's.
case $input in
  sample:* | - | /*) ;;
  *) input=$here/$input ;;
esac

cd "$root"
. tools/install-missing.sh
need_to_build
install_missing "Building Tilescope"
build_into build-release --buildtype=release -Dapp=enabled -Dtests=false

if [ -n "${WAYLAND_DISPLAY-}${DISPLAY-}" ]; then
  export GSETTINGS_SCHEMA_DIR="$root/build-release/data"
  cd "$here"
  exec "$root/build-release/src/app/tilescope" "$input"
fi

name=$(basename "${input#sample:}")
case $name in
  ?*.*) name=${name%.*} ;;
  -) name=stdin ;;
esac
picture=$here/$name-timeline.svg
cd "$here"
"$root/build-release/src/cli/tilescope-cli" export "$input" --view timeline -o "$picture"
echo "There is no display here: wrote $picture"
