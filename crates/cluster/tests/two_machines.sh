#!/bin/bash
# Two machines in one: network namespaces joined by a veth pair, process 0 in one, a worker in the other. Run by hand, as
# root, with iproute2; tc's netem for the slow link. `two_machines.sh PROGRAM` prints a line for each case.
set -euo pipefail
program=$(realpath "${1:?the program everymove}")
question=(tours count 6x8 --by-start)
folder=$(mktemp -d)
cd "$folder"
cleanup() {
    for pid in $(jobs -p); do kill -KILL "$pid" 2>/dev/null || true; done
    ip netns del em-a 2>/dev/null || true
    ip netns del em-b 2>/dev/null || true
    rm -rf "$folder"
}
trap cleanup EXIT
ip netns add em-a
ip netns add em-b
ip link add em-va netns em-a type veth peer name em-vb netns em-b
for side in a b; do
    ip -n em-$side link set lo up
    ip -n em-$side link set em-v$side up
done
ip -n em-a address add 10.99.0.1/24 dev em-va
ip -n em-b address add 10.99.0.2/24 dev em-vb
printf '10.99.0.1:7411\n10.99.0.2:7411\n' >hosts
"$program" cluster secret >secret
"$program" cluster secret >other
run=(cluster run --hosts hosts --threads 1)
# Twice the undirected tours of crates/tours/tests/counts.tsv.
expected=49929787608

# Starts process 0 and a worker; their process ids are in `first` and `second`.
start() {
    rm -rf results
    ip netns exec em-a "$program" "${run[@]}" --process 0 --secret-file secret --out results -- "${question[@]}" >answer 2>first.log &
    first=$!
    ip netns exec em-b "$program" "${run[@]}" --process 1 --secret-file secret -- "${question[@]}" >/dev/null 2>second.log &
    second=$!
    until grep -q "process 1 joined" first.log; do sleep 0.1; done
}
finish() {
    wait "$first"
    [ "$(head -1 answer | cut -d' ' -f1)" = "$expected" ]
    echo "$1: right; $(grep -c 'by process 1' first.log || true) jobs by process 1; $(grep 'lost\|refused' first.log | head -1 || true)"
}

start; finish "two machines"; wait "$second"
start; ip -n em-b link set em-vb down; finish "cut link"
status=0; wait "$second" || status=$?; echo "  the worker: exit code $status, $(tail -1 second.log)"
ip -n em-b link set em-vb up
start; kill -STOP "$second"; finish "stopped process"; kill -KILL "$second"; wait "$second" || true
start; kill -KILL "$second"; wait "$second" || true; finish "killed process"
ip netns exec em-b tc qdisc add dev em-vb root netem delay 100ms rate 1mbit 2>/dev/null || echo "no netem here: the link is not slow"
start; finish "slow link"; wait "$second"
ip netns exec em-b tc qdisc del dev em-vb root 2>/dev/null || true
start
ip netns exec em-b curl -s -m 5 http://10.99.0.1:7411/ >/dev/null || echo "  an HTTP request: curl's exit code $?"
status=0
ip netns exec em-b "$program" "${run[@]}" --process 1 --secret-file other -- "${question[@]}" 2>stranger.log || status=$?
echo "  another secret: exit code $status, $(tail -1 stranger.log)"
finish "strangers"; wait "$second"
