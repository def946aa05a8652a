#!/bin/sh
# Installs servers of Debian for the tests; see CONTRIBUTING.md. Needs apt-get and dpkg, but not to be root.
# Usage: install.sh [redis] [valkey] [valkey-8], without names the newest Redis and Valkey. Each is NAME/server in the folder below then.
# One that is there stays: delete its folder for a newer one.
set -eu
servers=$HOME/.cache/distributed-lock-servers

# Status 3 says that this machine cannot have a server; another one, that something failed.
refuse() {
  echo "install.sh: $*" >&2
  exit 3
}

# Calls a command of apt with lists and archives of its own. An empty status says that nothing is installed.
with_lists() {
  command=$1
  shift
  "$command" -qq -o Dir::Etc::sourcelist="$apt/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State="$apt" -o Dir::State::status="$apt/status" \
    -o Dir::Cache="$apt/cache" -o Acquire::Languages=none -o Acquire::Retries=3 -o APT::Sandbox::User=root "$@"
}

install() {
  name=$1
  package=$2
  shift 2
  if [ -x "$servers/$name/server" ]; then
    "$servers/$name/server" --version
    return
  fi
  apt=$servers/$name.apt
  new=$servers/$name.new
  rm -rf "$apt" "$new"
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$new/root"
  : >"$apt/status"
  for suite; do
    echo "deb [signed-by=$keys] $mirror $suite main"
  done >"$apt/sources.list"
  with_lists apt-get update
  version=$(with_lists apt-cache madison "$package-tools" | cut -d '|' -f 2 | tr -d ' ' | sort -V | tail -n 1)
  libraries=$(with_lists apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances \
    "$package-tools=$version" | grep -E '^lib[a-z0-9.+-]+$' | sort -u)
  (cd "$apt" && with_lists apt-get download "$package-tools=$version" "$package-server=$version" $libraries)
  for file in "$apt"/*.deb; do
    dpkg -x "$file" "$new/root"
  done
  cat >"$new/server" <<'END'
#!/bin/sh
# The server by its own loader and libraries: those of this machine can be older.
root=$(dirname "$0")/root
for loader in "$root"/lib64/ld-linux-* "$root"/usr/lib64/ld-linux-* "$root"/lib/ld-linux-* "$root"/usr/lib/ld-linux-*; do
  [ -e "$loader" ] && break
done
libraries=$(echo "$root"/usr/lib/*-linux-gnu* "$root"/lib/*-linux-gnu* | tr ' ' :)
exec "$loader" --library-path "$libraries" "$root"/usr/bin/PACKAGE-server "$@"
END
  sed -i "s/PACKAGE/$package/" "$new/server"
  chmod +x "$new/server"
  "$new/server" --version || refuse "$package-server $version does not run on this machine"
  rm -rf "$apt" "${servers:?}/$name"
  mv "$new" "$servers/$name"
}

command -v apt-get >/dev/null && command -v dpkg >/dev/null || refuse "there is no apt-get with dpkg"
# The mirror that this machine uses.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -E '/debian/?$' | sort -u | head -n 1)
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -n "$mirror" ] && [ -e "$keys" ] || refuse "apt has no source of Debian"
[ $# -gt 0 ] || set -- redis valkey
for name; do
  case $name in
    redis) install redis redis sid experimental ;;
    valkey) install valkey valkey sid ;;
    valkey-8) install valkey-8 valkey bookworm-backports bookworm ;;
    *)
      echo "install.sh: there is no server '$name'" >&2
      exit 1
      ;;
  esac
done
