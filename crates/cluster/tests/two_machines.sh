#!/bin/bash
# Two machines in one: network namespaces joined by a veth pair, process 0 in one, a worker in the other. Run by hand, as
# root, with iproute2 and curl. `two_machines.sh PROGRAM` prints a line for each case and ends at the first that fails. The
# slow link is made by tc's netem, or by its token bucket where the kernel has no netem.
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

# Starts process 0 and a worker, and waits until the worker has run a job; their process ids are in `first` and `second`.
start() {
    rm -rf results first.log second.log
    touch first.log
    ip netns exec em-a "$program" "${run[@]}" --process 0 --secret-file secret --out results -- "${question[@]}" >answer 2>>first.log &
    first=$!
    ip netns exec em-b "$program" "${run[@]}" --process 1 --secret-file secret -- "${question[@]}" >/dev/null 2>second.log &
    second=$!
    until grep -q "by process 1" first.log; do
        kill -0 "$first" || fail "process 0 ended before process 1 had run a job"
        sleep 0.1
    done
}
fail() {
    echo "$1"
    cat first.log second.log
    exit 1
}
# finish CASE LINE: process 0 gives the right answer and has reported LINE.
finish() {
    wait "$first" 2>/dev/null || fail "$1: process 0 failed"
    [ "$(head -1 answer | cut -d' ' -f1)" = "$expected" ] || fail "$1: wrong answer"
    grep -q "$2" first.log || fail "$1: no line with '$2'"
    echo "$1: right; $(grep -c 'by process 1' first.log) jobs by process 1; $(grep '^process 0 ran' answer)"
    grep 'lost\|refused' first.log | sed 's/^/  /' || true
}
# ends CODE LINE: the worker has ended with this exit code and a line.
ends() {
    local status=0
    wait "$second" 2>/dev/null || status=$?
    [ "$status" = "$1" ] || fail "the worker's exit code is $status, not $1"
    grep -q "$2" second.log || fail "the worker has no line with '$2'"
    echo "  the worker: exit code $status, $(tail -1 second.log)"
}

start
finish "two machines" "by process 1"
wait "$second"

start
ip -n em-b link set em-vb down
finish "cut link" "lost process 1 .*silent for 5 s"
ends 3 "lost process 0"
ip -n em-b link set em-vb up

start
kill -STOP "$second"
finish "stopped worker" "lost process 1 .*silent for 5 s"
kill -KILL "$second"
wait "$second" 2>/dev/null || true

start
kill -KILL "$second"
finish "killed worker" "lost process 1"
wait "$second" 2>/dev/null || true

start
kill -KILL "$first"
wait "$first" 2>/dev/null || true
ends 3 "lost process 0"

slow="delay 100ms and 256 kbit/s"
if ! ip netns exec em-b tc qdisc add dev em-vb root netem delay 100ms rate 256kbit 2>/dev/null; then
    ip netns exec em-b tc qdisc add dev em-vb root tbf rate 16kbit burst 2kb latency 2s
    slow="16 kbit/s, no netem here"
fi
start
finish "slow link ($slow)" "by process 1"
wait "$second"
ip netns exec em-b tc qdisc del dev em-vb root

start
status=0
ip netns exec em-b curl -s -m 5 http://10.99.0.1:7411/ >stranger.answer || status=$?
[ "$status" != 0 ] && [ ! -s stranger.answer ] || fail "an HTTP request was answered"
echo "  an HTTP request: curl's exit code $status"
for stranger in "other tours count 6x8 --by-start" "secret tours count 6x7 --by-start"; do
    read -r -a words <<<"$stranger"
    status=0
    ip netns exec em-b "$program" "${run[@]}" --process 1 --secret-file "${words[0]}" -- "${words[@]:1}" 2>stranger.log || status=$?
    [ "$status" = 2 ] || fail "a stranger's exit code is $status, not 2"
    echo "  another secret or question: exit code $status, $(tail -1 stranger.log)"
done
finish "strangers" "refused 10.99.0.2"
wait "$second"

# Layers shared by both: the answer, also over a slow link, whose window limits the memory; then a process that is stopped and a cut
# link, each of which ends both.
options=()
share() {
    rm -f second.log
    : >first.log
    ip netns exec em-a "$program" "${run[@]}" --process 0 --secret-file secret "${options[@]}" -- "$@" >answer 2>first.log &
    first=$!
    ip netns exec em-b "$program" "${run[@]}" --process 1 --secret-file secret "${options[@]}" -- "$@" >/dev/null 2>second.log &
    second=$!
}
# shared CASE ANSWER: both processes end well, with this answer; process 0's peak memory is the last column.
shared() {
    wait "$first" || fail "$1: process 0 failed"
    wait "$second" || fail "$1: process 1 failed"
    grep -q "^$2" answer || fail "$1: wrong answer"
    echo "$1: right; $(grep '^process 0 \(was\|ran\)' answer); $(grep -o '[^ ]* RAM$' first.log)"
}
# joined: waits until layers are exchanged.
joined() {
    until grep -q "process 1 joined" first.log; do sleep 0.1; done
    sleep 1
}
# ended CASE: process 0 has ended with exit code 3 and a line.
ended() {
    local status=0
    wait "$first" || status=$?
    [ "$status" = 3 ] || fail "$1: process 0's exit code is $status, not 3"
    echo "$1: $(tail -1 first.log)"
}
share pegs count english --positions
shared "shared layers" "23475688 positions"

ip netns exec em-b tc qdisc add dev em-vb root tbf rate 2mbit burst 16kb latency 2s
share pegs count english --positions
shared "shared layers, a link of 2 Mbit/s" "23475688 positions"
ip netns exec em-b tc qdisc del dev em-vb root

share pegs count european --positions
joined
kill -STOP "$second"
ended "shared layers, stopped process"
kill -KILL "$second"
wait "$second" 2>/dev/null || true

share pegs count european --positions
joined
ip -n em-b link set em-vb down
ends 3 "lost process 0 .*silent for 5 s"
ended "shared layers, cut link"
ip -n em-b link set em-vb up

# The same for layers of tours.
options=(--shared-layers)
share tours count 8x8 --closed
shared "shared layers of tours" "13267364410532 closed tours"

ip netns exec em-b tc qdisc add dev em-vb root tbf rate 20mbit burst 64kb latency 2s
share tours count 8x8 --closed
shared "shared layers of tours, a link of 20 Mbit/s" "13267364410532 closed tours"
ip netns exec em-b tc qdisc del dev em-vb root

share tours count 8x8
joined
kill -STOP "$second"
ended "shared layers of tours, stopped process"
kill -KILL "$second"
wait "$second" 2>/dev/null || true

# A half that both make, then jobs; a cut link ends both while the half is made.
options=(--shared-half)
share tours count 7x8
shared "shared half" "20666425060328 tours: 7x8"
rm -rf jobs

share tours count 8x9
joined
ip -n em-b link set em-vb down
ends 3 "lost process 0 .*silent for 5 s"
ended "shared half, cut link"
ip -n em-b link set em-vb up
rm -rf jobs
