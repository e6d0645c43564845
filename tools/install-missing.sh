# Sourced by run.sh and test.sh. `need PROBE PACKAGE` remembers a Debian package whose command, pkg-config module or file is not
# there; `install_missing WHY` installs them all in one go, or says what to install and stops.
missing=

need ()
{
  case $1 in
    cmd:*) command -v "${1#cmd:}" > /dev/null 2>&1 && return 0 ;;
    lib:*) command -v pkg-config > /dev/null 2>&1 && pkg-config --exists "${1#lib:}" && return 0 ;;
    file:*) [ -e "${1#file:}" ] && return 0 ;;
  esac
  case " $missing " in
    *" $2 "*) ;;
    *) missing="$missing $2" ;;
  esac
}

need_to_build ()
{
  need cmd:cc build-essential
  need cmd:meson meson
  need cmd:ninja ninja-build
  need cmd:pkg-config pkg-config
  need cmd:msgfmt gettext
  need cmd:xmllint libxml2-utils
  need cmd:glib-compile-resources libglib2.0-dev-bin
  need lib:gio-2.0 libglib2.0-dev
  need lib:json-glib-1.0 libjson-glib-dev
  need lib:cairo libcairo2-dev
  need lib:pangocairo libpango1.0-dev
  need 'lib:gtk4 >= 4.8' libgtk-4-dev
  need 'lib:libadwaita-1 >= 1.2' libadwaita-1-dev
  need 'lib:gtksourceview-5 >= 5.6' libgtksourceview-5-dev
  # Without these two a bare machine draws boxes instead of letters and icons.
  need file:/usr/share/icons/Adwaita/index.theme adwaita-icon-theme
  need file:/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf fonts-dejavu-core
}

install_missing ()
{
  [ -n "$missing" ] || return 0
  if ! command -v apt-get > /dev/null 2>&1; then
    echo "$1 needs what Debian calls:$missing" >&2
    echo "This system has no apt-get: please install the like by other means, then run this again." >&2
    exit 1
  fi
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo > /dev/null 2>&1; then
      echo "$1 needs packages that are not installed, and this is neither root nor is there sudo." >&2
      echo "Please run as root:  apt-get install --no-install-recommends$missing" >&2
      exit 1
    fi
    as_root=sudo
  fi
  echo "Installing:$missing"
  # The lists of a fresh machine are empty or old: fetch them first, but let a machine whose lists are fine go on offline.
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q || echo "The package lists could not be refreshed; trying with those that are here." >&2
  # shellcheck disable=SC2086 # one word per package is meant
  if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing; then
    echo "apt-get could not install:$missing" >&2
    exit 1
  fi
  missing=
}

# Configures DIR once and builds it; later calls only build. The options may change between two calls.
build_into ()
{
  dir=$1
  shift
  if [ -f "$dir/build.ninja" ]; then
    # A folder from before an option existed does not know it; configuring anew does.
    meson configure "$dir" "$@" || meson setup --reconfigure "$dir" . "$@"
  elif ! meson setup "$dir" . "$@"; then
    echo "Configuring failed; the log is $dir/meson-logs/meson-log.txt" >&2
    exit 1
  fi
  ninja -C "$dir"
}
