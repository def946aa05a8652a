#!/usr/bin/env bash
# Tries the dashboard and the alert rules on a real Prometheus: two instances of the sample, a real Redis that is stopped for a
# while, every expression of the dashboard and of the alerts, and a picture of the panels. Takes about three minutes after the build.
#
#   monitoring/try.sh              writes docs/monitoring.png
#   SCREENSHOT= monitoring/try.sh  needs no Chromium
#   SAMPLE_JAR=… monitoring/try.sh takes a sample that is built already
#
# Everything listens on the loopback interface, and is stopped in the end, also after a failure.
set -euo pipefail
cd "$(dirname "$0")/.."

SCREENSHOT=${SCREENSHOT-docs/monitoring.png}
SAMPLE_JAR=${SAMPLE_JAR:-}
# How long Redis stands still. DistributedLockStoreUnreachable needs 45 s without an answer.
OUTAGE=50
# What has to fire. The others need what does not happen here: many leases whose renewals fail for minutes, permissions that are
# missing, a quorum, waits of a minute, slow listeners.
FIRING=(DistributedLockLost DistributedLockEndangered DistributedLockStoreErrors DistributedLockStoreUnreachable
  DistributedLockWaitsTimeOut)

work=$(mktemp -d)
pids=()
redis=

say() { printf '%s  %s\n' "$(date +%T)" "$*"; }
fail() {
  echo "FAILED: $*" >&2
  exit 1
}

stop_all() {
  local status=$?
  trap - EXIT INT TERM
  [ -z "$redis" ] || kill -CONT "$redis" 2>/dev/null || true
  if [ "$status" -ne 0 ]; then
    tail -n 15 "$work"/*.log >&2 2>/dev/null || true
  fi
  for pid in "${pids[@]}"; do
    kill "$pid" 2>/dev/null || true
  done
  for pid in "${pids[@]}"; do
    for _ in {1..150}; do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
    kill -KILL "$pid" 2>/dev/null || true
  done
  rm -rf "$work"
  exit "$status"
}
trap stop_all EXIT
trap 'exit 130' INT TERM

# need <package> <program>...: the path of the first program that is there
need() {
  local package=$1 program
  shift
  for program in "$@"; do
    command -v "$program" && return
  done
  fail "There is no $* on the PATH. Install it (Debian: apt-get install $package)."
}

# within <seconds> <what> <command>...: repeats the command until it succeeds
within() {
  local seconds=$1 what=$2
  local end=$((SECONDS + seconds))
  shift 2
  until "$@" >/dev/null 2>&1; do
    for pid in "${pids[@]}"; do
      kill -0 "$pid" 2>/dev/null || fail "A process has ended before this: $what"
    done
    [ "$SECONDS" -lt "$end" ] || fail "Not within $seconds s: $what"
    sleep 0.5
  done
}

free_port() {
  local port
  while :; do
    port=$((20000 + RANDOM % 10000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  echo "$port"
}

get() { curl -sS -m 15 "$@"; }

# shop <port> <method> <path> [<json>]
shop() {
  get -f -o /dev/null -X "$2" -H 'Content-Type: application/json' ${4:+-d "$4"} "http://127.0.0.1:$1/$3"
}

start_instance() {
  local name=$1 port=$2
  shift 2
  java -XX:TieredStopAtLevel=1 -Xmx256m -Dembedded.redis.mode=binary -Dh2.bindAddress=127.0.0.1 -jar "$SAMPLE_JAR" \
    --flash-sale.run=false "--server.port=$port" "--spring.datasource.url=jdbc:h2:file:$work/shop;AUTO_SERVER=TRUE" \
    --spring.datasource.username=shop --logging.level.io.distributedlock.sample.trace=warn \
    --management.metrics.distribution.percentiles-histogram.distributed.lock.wait=true \
    --management.metrics.distribution.percentiles-histogram.distributed.lock.hold=true \
    "$@" >"$work/$name.log" 2>&1 &
  pids+=($!)
  within 120 "$name publishes its meters" meters "$port"
}

meters() { get -f "http://127.0.0.1:$1/actuator/prometheus" | grep '^distributed_lock_held'; }

# A few buyers at a time on both instances, again and again, of which most find the lock taken for a moment.
buy() {
  trap 'kill $(jobs -p) 2>/dev/null; exit' TERM
  while :; do
    for port in "$first" "$second"; do
      curl -sS -m 10 -Z --parallel-max 6 -o /dev/null -X POST -H 'Content-Type: application/json' \
        -d '{"item":"book","buyer":"ann"}' "http://127.0.0.1:$port/purchases?n=[1-6]" &
      curl -sS -m 10 -o /dev/null "http://127.0.0.1:$port/stock" &
    done
    wait
    sleep 0.5 &
    wait
  done
}

redis_pid() {
  exec 3<>"/dev/tcp/127.0.0.1/$1"
  printf 'INFO server\r\n' >&3
  while IFS=: read -r -t 5 key value <&3; do
    if [ "$key" = process_id ]; then
      tr -d '\r' <<<"$value"
      return
    fi
  done
  return 1
}

# ask <path> <parameter>...: the answer of Prometheus, or its error
ask() {
  local path=$1 parameter answer
  local arguments=()
  shift
  for parameter in "$@"; do
    arguments+=(--data-urlencode "$parameter")
  done
  answer=$(get --get "${arguments[@]}" "$prometheus/api/v1/$path")
  jq -e '.status == "success"' >/dev/null <<<"$answer" || fail "Prometheus refuses $*: $(jq -r .error <<<"$answer")"
  printf '%s' "$answer"
}

# numbers <expression>: how many series had a number since the start
numbers() {
  ask query_range "query=$1" "start=$began" "end=$(date +%s)" step=2 |
    jq '[.data.result[] | select(any(.values[]; .[1] != "NaN"))] | length'
}

# What Grafana puts in: all applications, instances and locks, and a window of some scrapes.
substitute() {
  sed -E 's/\$__rate_interval/15s/g; s/\$__range/5m/g; s/\$(job|instance|lock_name)\b/.*/g'
}

scraped() {
  get "$prometheus/api/v1/targets" | jq -r '.data.activeTargets[] | .scrapeUrl + " " + .lastError' >"$work/scrapes.log"
  [ "$(ask query 'query=sum(up)' | jq -r '.data.result[0].value[1]')" = 2 ]
}

has_fired() { [ "$(numbers "ALERTS{alertname=\"$1\", alertstate=\"firing\"}")" -gt 0 ]; }

prometheus_program=$(need prometheus prometheus)
promtool=$(need prometheus promtool)
need curl curl >/dev/null
need jq jq >/dev/null
need default-jdk-headless java >/dev/null
if [ -n "$SCREENSHOT" ]; then
  chromium=$(need chromium chromium chromium-browser google-chrome google-chrome-stable)
fi

say "The rules and their tests"
"$promtool" check rules monitoring/alerts.yml
"$promtool" test rules monitoring/alerts.test.yml

if [ -z "$SAMPLE_JAR" ]; then
  say "Building the sample"
  ${MVN:-mvn} -B -ntp -q -Psample -pl sample-app -am package spring-boot:repackage
  SAMPLE_JAR=$(ls sample-app/target/sample/sample-app-*.jar)
fi

first=$(free_port)
second=$(free_port)
say "Starting two instances of the sample, at $first and $second"
start_instance first "$first"
redis_port=$(sed -nE 's/.*Started .* at 127\.0\.0\.1:([0-9]+).*/\1/p' "$work/first.log" | head -n 1)
[ -n "$redis_port" ] || fail "The first instance does not say where its Redis is"
redis=$(redis_pid "$redis_port") || fail "Redis at $redis_port does not say which process it is"
start_instance second "$second" --spring.data.redis.host=127.0.0.1 "--spring.data.redis.port=$redis_port"

port=$(free_port)
prometheus=http://127.0.0.1:$port
say "Starting Prometheus at $prometheus"
# Minutes of "for" become seconds, so that alerts fire in the time there is. The tests of the rules have the true ones.
sed -E 's/^( +for: [0-9]+)m$/\1s/' monitoring/alerts.yml >"$work/alerts.yml"
cat >"$work/prometheus.yml" <<CONFIGURATION
global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
rule_files: [alerts.yml]
scrape_configs:
  - job_name: flash-sale
    metrics_path: /actuator/prometheus
    static_configs: [{targets: ["127.0.0.1:$first", "127.0.0.1:$second"]}]
CONFIGURATION
began=$(date +%s)
"$prometheus_program" --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/data" --log.level=warn \
  --web.listen-address="127.0.0.1:$port" --web.user-assets=monitoring >"$work/prometheus.log" 2>&1 &
pids+=($!)
within 60 "Prometheus scrapes both instances" scraped

say "Selling for 20 s"
shop "$first" POST stock/book/deliveries '{"quantity":1000000}'
buy 2>/dev/null &
pids+=($!)
sleep 20

say "Closing the item for 25 s: its buyers wait, and give up"
shop "$first" PUT stock/book/closure
sleep 25
shop "$first" DELETE stock/book/closure
sleep 5

say "Stopping Redis for $OUTAGE s, while a lock is held"
within 30 "the item is closed" shop "$first" PUT stock/book/closure
kill -STOP "$redis"
sleep "$OUTAGE"
kill -CONT "$redis"

say "Waiting for the alerts"
for alert in "${FIRING[@]}"; do
  within 60 "$alert fires" has_fired "$alert"
  say "  $alert has fired"
done
sleep 15

say "Asking for every expression"
count=0
while IFS= read -r expression; do
  found=$(numbers "$expression")
  [ "$found" -gt 0 ] || fail "Nothing found: $expression"
  count=$((count + 1))
# The sample has no election.
done < <(jq -r '.panels[].targets[]?.expr, .annotations.list[].expr' monitoring/grafana-dashboard.json |
  grep -v distributed_lock_leader | substitute)
say "  $count of the dashboard, each with data"
while IFS= read -r query; do
  [[ $query =~ ^label_values\((.*),\ ([a-z_]+)\)$ ]] || fail "Not understood: $query"
  [ "$(numbers "count by (${BASH_REMATCH[2]}) (${BASH_REMATCH[1]})")" -gt 0 ] || fail "Nothing found: $query"
done < <(jq -r '.templating.list[] | select(.type == "query") | .query.query' monitoring/grafana-dashboard.json | substitute)
say "  those of the variables, each with data"
while IFS=$'\t' read -r alert expression; do
  found=$(numbers "$expression")
  say "  $alert: $found series"
done < <(get "$prometheus/api/v1/rules" | jq -r '.data.groups[].rules[] | [.name, .query] | @tsv')
while IFS= read -r meter; do
  [ "$(numbers "$meter")" -gt 0 ] || fail "Nothing found: $meter"
done < <(grep -o 'distributed_lock_[a-z_]*' monitoring/alerts.yml | sort -u)
say "  each meter of the alerts with data; an alert without a series has nothing to tell, as it should be"

if [ -n "$SCREENSHOT" ]; then
  say "Drawing $SCREENSHOT"
  end=$(date +%s)
  page="$prometheus/user/preview.html?seconds=$((end - began))&end=$end"
  flags=(--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --hide-scrollbars --virtual-time-budget=20000 --window-size=1280,1450)
  timeout 60 "$chromium" "${flags[@]}" --user-data-dir="$work/profile-1" --dump-dom "$page" >"$work/page.html" 2>"$work/chromium.log" || true
  grep -q 'data-state="drawn"' "$work/page.html" || fail "The page was not drawn"
  timeout 60 "$chromium" "${flags[@]}" --user-data-dir="$work/profile-2" --screenshot="$work/page.png" "$page" >>"$work/chromium.log" 2>&1 || true
  [ -s "$work/page.png" ] || fail "There is no screenshot"
  cp "$work/page.png" "$SCREENSHOT"
fi
say "All as expected"
