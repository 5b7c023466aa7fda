# Made from a scenario of the etcd playground. It needs etcd, etcdctl and etcdutl 3.7 in PATH, bash 4.4 or later, no root,
# and the ports of its members (12379 and 12380, 22379 and 22380, ...) free.
# It starts the members of the Procfile below, does the steps, and compares. What differs from run to run is not compared:
# ids, Raft terms, times and remaining seconds; of sizes, states and snapshots only how many lines there are.
# The exit status is 0 if there is no difference.

((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || { echo 'this needs bash 4.4 or later' >&2; exit 2; }
for program in etcd etcdctl etcdutl; do
  command -v "$program" > /dev/null || { printf '%s is not in PATH\n' "$program" >&2; exit 2; }
done
set -u
unset "${!ETCDCTL_@}"
dir=$(mktemp -d) || exit 2
cd "$dir" || exit 2
differences=0 passed_over=0 status=0 last=1 LEASE='' preset='' led='' term=0
declare -A pids=() down=() paused=() beside=() inputs=()
members=()

say() { printf '\n> %s\n' "$1"; }
prompt() { printf '\n%s\n' "$1"; }
differs() { differences=$((differences + 1)); printf 'DIFFERS: %s\n' "$1"; }
cannot() { passed_over=$((passed_over + 1)); printf '\nPASSED OVER (needs the lab, or root): %s\n  by hand: %s\n' "$1" "$2"; }
cannot_check() { passed_over=$((passed_over + 1)); printf 'NOT CHECKED HERE: %s\n' "$1"; }
cannot_wait() { cannot_check "$1"; printf 'waiting 5 s instead\n'; sleep 5; }

# infra1 has the ports 12379 and 12380, infra2 22379 and 22380; there is no port 72379.
port() { if [ "$1" -le 6 ]; then printf '%s' "$((10000 * $1 + 2379))"; else printf '%s' "$((10079 + 100 * $1))"; fi; }
client_url() { printf 'http://127.0.0.1:%s' "$(port "${1#infra}")"; }
peer_url() { printf 'http://127.0.0.1:%s' "$(($(port "${1#infra}") + 1))"; }
endpoints() {
  local list=() name
  for name in "${members[@]}"; do list+=("127.0.0.1:$(port "${name#infra}")"); done
  (IFS=,; printf '%s' "${list[*]}")
}
# Where etcdctl finds the members, unless the scenario has said something else.
set_endpoints() {
  local now
  now=$(endpoints)
  if [ "${ETCDCTL_ENDPOINTS-$preset}" = "$preset" ]; then export ETCDCTL_ENDPOINTS=$now; fi
  preset=$now
}
# etcdctl refuses a flag beside the variable that stands for it; this variable is ours.
etcdctl() {
  local word
  for word in "$@"; do
    case $word in
      --) break ;;
      --endpoints | --endpoints=*)
        if [ "${ETCDCTL_ENDPOINTS-}" = "$preset" ]; then
          (unset ETCDCTL_ENDPOINTS; exec etcdctl "$@")
          return
        fi ;;
    esac
  done
  command etcdctl "$@"
}
start_member() {
  local line
  line=$(grep "^$1: " "$dir/Procfile") || return 1
  # shellcheck disable=SC2086
  ${line#*: } > "$dir/$1.log" 2>&1 &
  pids[$1]=$!
  unset "down[$1]" "paused[$1]"
}
kill_member() { kill -KILL "${pids[$1]}" 2> /dev/null; wait "${pids[$1]}" 2> /dev/null; down[$1]=1; printf '%s was killed\n' "$1"; }
pause_member() { kill -STOP "${pids[$1]}"; paused[$1]=1; printf '%s was paused\n' "$1"; }
resume_member() { kill -CONT "${pids[$1]}"; unset "paused[$1]"; printf '%s goes on\n' "$1"; }
wipe_member() { [ -n "${down[$1]-}" ] || kill_member "$1"; rm -rf "${dir:?}/$1.etcd"; }
is_running() { [ -z "${down[$1]-}" ] && [ -z "${paused[$1]-}" ]; }
# As a learner, or a member that wants a password, can answer, too.
is_up() { is_running "$1" && etcdctl --endpoints "$(client_url "$1")" --command-timeout 1s endpoint status > /dev/null 2>&1; }

# The member that says of itself that it leads.
leader() {
  local name
  for name in "${members[@]}"; do
    is_running "$name" || continue
    etcdctl --endpoints "$(client_url "$name")" --command-timeout 1s endpoint status -w fields 2> /dev/null |
      awk -F' : ' '/^"MemberID"/ { member = $2 } /^"Leader"/ { leader = $2 } END { exit !(member != "" && member == leader) }' &&
      { printf '%s' "$name"; return 0; }
  done
  return 1
}
has_leader() { [ -n "$(leader)" ]; }
# What is compared with later: who leads, and the term.
note() { led=$(leader); term=$(highest RaftTerm); }
has_other_leader() { local now; now=$(leader) && [ "$now" != "$led" ]; }
has_risen() {
  local now
  now=$(highest RaftTerm)
  if [ "$1" = 0 ]; then [ "$now" -gt "$term" ]; else [ "$now" = "$((term + $1))" ]; fi
}
# The highest of a number that status knows.
highest() {
  local name
  for name in "${members[@]}"; do
    is_running "$name" && etcdctl --endpoints "$(client_url "$name")" --command-timeout 1s endpoint status -w fields 2> /dev/null
  done | awk -F' : ' -v field="\"$1\"" '$1 == field && $2 + 0 > most { most = $2 + 0 } END { print most + 0 }'
}
has_term() { [ "$(highest RaftTerm)" -ge "$1" ]; }
has_revision() { [ "$(highest Revision)" -ge "$1" ]; }
contains() { grep -qF -e "$3" "$dir/$1$2"; }
equals() { [ "$(sed -e 's/[[:space:]]*$//' "$dir/$1$2")" = "$(printf '%s' "$3" | sed -e 's/[[:space:]]*$//')" ]; }
wait_until() {
  local limit=$((SECONDS + $1)); shift
  until "$@"; do
    if [ "$SECONDS" -ge "$limit" ]; then differs "waited in vain: $*"; return; fi
    sleep 0.1
  done
}
expect() {
  local wanted=$1 claim=$2 found=0; shift 2
  "$@" || found=1
  [ "$found" = "$wanted" ] || differs "expected$([ "$wanted" = 1 ] && printf ' not') $claim"
}
expect_soon() {
  local tries
  for tries in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    if "${@:3}"; then return; fi
    sleep 0.1
  done
  expect "$@"
}
# Ids, Raft terms and times are other ones in every run; the ports of infra7 are other ones here.
same() {
  sed -E -e 's/127\.0\.0\.1:72379/127.0.0.1:10779/g; s/127\.0\.0\.1:72380/127.0.0.1:10780/g' \
    -e 's/(^|[^0-9A-Za-z_])[0-9a-f]{13,20}($|[^0-9A-Za-z_])/\1ID\2/g' \
    -e 's/(^|[^0-9A-Za-z_])[0-9a-f]{13,20}($|[^0-9A-Za-z_])/\1ID\2/g' \
    -e 's/(raft_term":|"RaftTerm" : )[0-9]+/\1TERM/g; s/took = [^ ,]+/took = TIME/g' \
    -e 's/remaining\([0-9]+s\)/remaining(TIME)/g; s/("ttl":|"TTL" : )[0-9]+/\1TIME/g'
}
is_status() { [ "$status" = "$1" ] || differs "exit status $status, expected $1"; }
compare() {
  cat > "$dir/expected"
  cat "$dir/out1" "$dir/err1"
  is_status "$1"
  diff -u --label expected --label found <(same < "$dir/expected") <(same < "$dir/out1") || differs "the output"
}
compare_shape() {
  local wanted found
  wanted=$(wc -l)
  cat "$dir/out1" "$dir/err1"
  is_status "$1"
  found=$(wc -l < "$dir/out1")
  [ "$((wanted))" = "$((found))" ] || differs "$found line(s) of output, expected $wanted"
}
lease_of() {
  local id
  id=$(sed -n 's/^lease \([0-9a-f]*\) granted.*/\1/p' "$dir/out1")
  if [ -z "$id" ]; then
    id=$(sed -n 's/.*"ID"[ :]*\([0-9][0-9]*\).*/\1/p' "$dir/out1" | head -n 1)
    [ -z "$id" ] || id=$(printf '%x' "$id")
  fi
  printf '%s' "$id"
}

# Which member a word means.
member() {
  local name now
  case $1 in
    leader) leader ;;
    follower)
      now=$(leader)
      for name in "${members[@]}"; do is_running "$name" && [ "$name" != "$now" ] && { printf '%s' "$name"; return; }; done ;;
    killed) for name in "${members[@]}"; do [ -n "${down[$name]-}" ] && { printf '%s' "$name"; return; }; done ;;
    paused) for name in "${members[@]}"; do [ -n "${paused[$name]-}" ] && { printf '%s' "$name"; return; }; done ;;
    *) printf '%s' "$1" ;;
  esac
}
endpoint_of() { client_url "$(member "$1")"; }
each() {
  local name
  if [ "$1" = all ]; then for name in "${members[@]}"; do "$2" "$name"; done; return; fi
  name=$(member "$1")
  if [ -n "$name" ]; then "$2" "$name"; else differs "there is no $1"; fi
}
restart() {
  local name names=()
  if [ "$1" = all ]; then
    names=("${members[@]}")
  else
    name=$(member "$1")
    if [ -z "$name" ]; then differs "there is no $1"; return; fi
    names=("$name")
  fi
  for name in "${names[@]}"; do [ -n "${down[$name]-}" ] || kill_member "$name"; done
  for name in "${names[@]}"; do start_member "$name"; done
}

begin() {
  local name
  members=("$@")
  for name in "$@"; do start_member "$name"; done
  set_endpoints
  wait_until 30 has_leader
  sleep 5 # a member trusts a connection after five seconds
}
id_of() { etcdctl member list 2> /dev/null | awk -F', ' -v url="$(peer_url "$1")" '$4 == url { print $1 }'; }
add_member() {
  local number=1 name list client peer
  while grep -q "^infra$number: " "$dir/Procfile"; do number=$((number + 1)); done
  name=infra$number
  client=$(client_url "$name") peer=$(peer_url "$name")
  etcdctl member add "$name" --peer-urls "$peer" "$@" > "$dir/added" || { differs "member add"; return; }
  list=$(sed -n 's/^ETCD_INITIAL_CLUSTER="\(.*\)"$/\1/p' "$dir/added")
  printf '%s: etcd --name %s --data-dir %s.etcd --listen-client-urls %s --advertise-client-urls %s --listen-peer-urls %s --initial-advertise-peer-urls %s --initial-cluster %s --initial-cluster-state existing %s\n' \
    "$name" "$name" "$name" "$client" "$client" "$peer" "$peer" "$list" "$common" >> "$dir/Procfile"
  members+=("$name")
  start_member "$name"
  set_endpoints
  wait_until 30 is_up "$name"
}
remove_member() {
  local name other kept=()
  name=$(member "$1")
  etcdctl member remove "$(id_of "$name")" || { differs "member remove"; return; }
  for other in "${members[@]}"; do [ "$other" = "$name" ] || kept+=("$other"); done
  members=("${kept[@]}")
  set_endpoints
}
promote_member() { wait_until 30 etcdctl member promote "$(id_of "$1")"; }

open_input() { rm -f "$dir/in$console"; mkfifo "$dir/in$console"; local fd; exec {fd}<> "$dir/in$console"; inputs[$console]=$fd; }
# What runs beside holds no end of its own input into which somebody writes.
leave_input() { local fd=${inputs[$console]}; exec {fd}>&-; }
type_into() { printf '%s\n' "$2" >&"${inputs[$1]}"; sleep 0.3; }
end_input() { local fd=${inputs[$1]}; exec {fd}>&-; sleep 0.3; }
beside() { beside[$console]=$1; sleep 0.5; }
interrupt() { pkill -TERM -P "${beside[$1]}" 2> /dev/null; kill -TERM "${beside[$1]}" 2> /dev/null; cat "$dir/out$1"; }
clean_up() {
  local name
  for name in "${beside[@]}" "${pids[@]}"; do pkill -KILL -P "$name" 2> /dev/null; kill -KILL "$name" 2> /dev/null; done
}
trap clean_up EXIT
finish() {
  printf '\n%s difference(s), %s step(s) not possible here; files in %s\n' "$differences" "$passed_over" "$dir"
  exit $((differences > 0))
}

