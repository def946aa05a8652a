#!/usr/bin/env bash
# Makes benchmarks/RESULTS.md of the tables that the last comparison has written, and copies its pictures to docs/performance.
# Tables of locks in PostgreSQL go to benchmarks/RESULTS-POSTGRESQL.md. A page without tables stays as it is.
set -euo pipefail
cd "$(dirname "$0")"
tables=${1:-target/comparison}

section() { # heading, sentences, tables ...
  printf '\n## %s\n\n%s\n' "$1" "$2"
  shift 2
  for table in "$@"; do
    printf '\n'
    cat "$tables/$table.md"
    if [ -e "$tables/$table.svg" ]; then
      cp "$tables/$table.svg" "../docs/performance/$table.svg"
      printf '\n![%s](../docs/performance/%s.svg)\n' "$table" "$table"
    fi
  done
}

on_redis() {
  printf '# Results of the comparison\n\n'
  printf 'Made by `benchmarks/results.sh` of the tables of one run. How it is measured, and what it says: [Performance](../docs/performance.md).\n\n'
  cat "$tables/machine.md"
  (cd ../lock-redis/src/main/resources/io/distributedlock/redis && printf 'SHA-256 of the scripts: `%s`.\n' "$(cat abandon.lua acquire.lua \
    extend.lua force.lua foreign.lua gather.lua lock.lua raise.lua release.lua renew.lua shared.lua state.lua unlock.lua | sha256sum | cut -c 1-16)")
  section 'Cost of a pair' 'One thread locks and unlocks a free key 3,000 times.' cost
  section 'W1: one thread, one key' 'No caller waits.' w1
  section 'W2: many threads, 10,000 keys' 'Each thread has its own part of the keys, so no caller waits for another.' w2-8 w2-64
  section 'W3: one hot key in one process' 'The floor is one thread that has the key for itself, since raw commands do not wait.' w3
  section 'W4: one hot key in several processes' 'A holder reads a counter in Redis and writes it, so a pair has four commands at the floor.' w4
  section 'W5: a crowd that waits' 'Another process holds the key and then releases it. Commands inside scripts count.' w5
  section 'W6: many held locks' 'Locks are held and renewed.' w6
  section 'W7: from one process to another' 'Two processes hand one lock to and fro.' w7
  section 'W8: renewal after a burst' '500 locks are held after 20 pairs for each of them.' w8
  section 'W9: an annotated method' 'In turns with its lock by hand; *observed*: with a timer for each wait and each hold.' w9
  section 'W10: as things grow' 'A row is a library and a size. Compare sizes rather than libraries.' w10-keys w10-instances w10-waiters w10-fair w10-readers
  section 'Start of an application' 'Each start is a process of its own, and ends when it has locked once.' start
}

on_postgresql() {
  printf '# Results of the comparison on PostgreSQL\n\n'
  printf 'Made by `benchmarks/results.sh` of the tables of one run. How it is measured, and what it says: [README](README.md#locks-in-postgresql).\n\n'
  cat "$tables/sql-machine.md"
  section 'W1: one thread, one key' 'No caller waits.' sql-w1
  section 'W2: many threads, 10,000 keys' 'Each thread has its own part of the keys, so no caller waits for another.' sql-w2-8 sql-w2-64
  section 'W3: one hot key in one process' 'The floor is one thread that has the key for itself, since raw statements do not wait.' sql-w3
  section 'W4: one hot key in several processes' 'A holder reads a counter in Redis and writes it.' sql-w4
  section 'W7: from one process to another' 'Two processes hand one lock to and fro.' sql-w7
  section 'The check at the commit' 'An application updates a row and commits, on its own pool.' sql-commit
}

if [ -e "$tables/w1.md" ]; then on_redis > RESULTS.md; fi
if [ -e "$tables/sql-w1.md" ]; then on_postgresql > RESULTS-POSTGRESQL.md; fi
