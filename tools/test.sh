#!/bin/sh
# sh tools/test.sh
# Installs what the tests need, builds with sanitizers, runs every test (those of the window on a virtual display) and ends with
# the line `N passed, N failed`, or `N passed, N failed, N skipped`. The exit status is not 0 when anything failed.
set -eu

cd "$(dirname "$0")/.."
. tools/install-missing.sh
need_to_build
need cmd:python3 python3
need cmd:Xvfb xvfb
need cmd:xvfb-run xvfb
need cmd:xauth xauth
need cmd:rsvg-convert librsvg2-bin
need cmd:desktop-file-validate desktop-file-utils
need cmd:appstreamcli appstream
install_missing "Testing Tilescope"

status=0
build_into build-test --buildtype=debugoptimized -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false -Dapp=enabled || status=$?
if [ "$status" -ne 0 ]; then
  echo "The build failed."
  echo "0 passed, 1 failed"
  exit 1
fi

log=build-test/meson-logs/testlog.json
rm -f "$log"
# The tests of the window bring their own virtual display.
meson test -C build-test --no-rebuild --print-errorlogs --timeout-multiplier 4 || status=$?
python3 tools/count-tests.py "$log" "$status"
