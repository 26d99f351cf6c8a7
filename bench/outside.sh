#!/bin/sh
# Runs what docs/benchmarks.md and the grids of docs/accuracy.md measure outside our server: the core alone, other programs, pgbench.
# Programs beside the server, for COPY: lines of a name, an amount of work and seconds, with tabs between. Nothing is installed: what is
# fetched lies in $PEERS, in the throwaway server's directory. A program that cannot be had prints why, without figures.
#     outside.sh core | peer NAME FILE | judge NAME FILE | find_all FILE | sessions COUNT OPTION FILE TABLE | connecting | package NAME
set -eu
work=$1
shift
here=$(cd "$(dirname "$0")" && pwd)
errors=$(mktemp)
trap 'status=$?; [ $status = 0 ] || printf "%s\t\\N\t\\N\n" "$(grep . "$errors" | tail -n 1 | tr "\t|\\\\" " //")"; rm -rf "$errors" "${place:-}"' EXIT
exec 2>"$errors"

python() {
    if [ ! -x "$PEERS/bin/python" ]; then
        python3 -m venv "$PEERS" >&2 || { apt-get -qq install -y --no-install-recommends python3-venv >&2 && /usr/bin/python3 -m venv "$PEERS" >&2; }
    fi
    "$PEERS/bin/python" "$@"
}

case $work in
core) cargo run --quiet --release -p neardup-core --example throughput -- "$EXCERPT" "$ROUNDS" ;;
peer)
    python -m pip install -q --disable-pip-version-check "$1" >&2
    # One thread, as a backend is one.
    export RAYON_NUM_THREADS=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    cd "$PEERS"
    python "$here/peers.py" "$1" "$2" "$ROUNDS" ;;
judge)
    python -m pip install -q --disable-pip-version-check "$1" >&2
    cd "$PEERS"
    python "$here/yardstick.py" "$1" "$2" ;;
find_all)
    # The library alone, with a program of ours around it: the Python module does not build on current Pythons.
    mkdir -p "$PEERS/simhash-py"
    cd "$PEERS/simhash-py"
    if [ ! -x find_all ]; then
        python -m pip download -q --disable-pip-version-check --no-deps --no-binary :all: simhash-py==0.4.0 -d . >&2
        tar -xzf simhash-py-*.tar.gz --strip-components=1
        g++ -O3 -std=c++11 -I simhash/simhash-cpp/include "$here/find_all.cpp" simhash/simhash-cpp/src/*.cpp -o find_all
    fi
    ./find_all "$1" "$ROUNDS" ;;
sessions)
    # As applications insert: pgbench over the socket, prepared statements, a commit for each row, latencies from its log.
    place=$(mktemp -d)
    sed "s/{table}/$4/" "$3" >"$place/script.sql"
    cd "$place"
    "$PGBIN/pgbench" -n -M prepared -j 2 -l -c "$1" "$2" -f script.sql >said
    awk '/^tps = / { print "tps\t1\t" $3 } /^number of failed transactions: / { print "failed\t1\t" $5 }' said
    cat pgbench_log.* | awk '$3 != "failed" { printf "latency\t1\t%.6f\n", $3 / 1e6 }' ;;
connecting)
    place=$(mktemp -d)
    echo 'SELECT 1;' >"$place/one.sql"
    "$PGBIN/pgbench" -n -C -t "$CONNECTIONS" -f "$place/one.sql" | awk '/^average connection time = / { print "connecting, ms\t1\t" $5 }' ;;
package)
    mkdir -p "$PEERS/$1"
    cd "$PEERS/$1"
    apt-get -qq download "$1" >&2
    dpkg-deb -x ./*.deb .
    chmod -R a+rX . ;;
esac
