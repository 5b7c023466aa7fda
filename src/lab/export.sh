# Made from a scenario of the etcd playground. It needs etcd, etcdctl and etcdutl 3.7 in PATH, bash, and no root.
# It starts the members of the Procfile below, does the steps, and compares; ids, times and sizes that differ from
# run to run are compared as they are, so read the differences. The exit status is 0 if there are none.

set -u
dir=$(mktemp -d) || exit 2
cd "$dir" || exit 2
differences=0 passed_over=0 status=0 last=1 added=0
declare -A pids=() down=() paused=() beside=() inputs=()
members=()

say() { printf '\n> %s\n' "$1"; }
prompt() { printf '\n%s\n' "$1"; }
differs() { differences=$((differences + 1)); printf 'DIFFERS: %s\n' "$1"; }
cannot() { passed_over=$((passed_over + 1)); printf '\nPASSED OVER (needs the lab, or root): %s\n  by hand: %s\n' "$1" "$2"; }
cannot_check() { passed_over=$((passed_over + 1)); printf 'NOT CHECKED HERE: %s\n' "$1"; }
cannot_wait() { printf '\nwaiting 5 s instead of for: %s\n' "$1"; sleep 5; }

client_url() { printf 'http://127.0.0.1:%s2379' "${1#infra}"; }
endpoints() {
  local list=() name
  for name in "${members[@]}"; do list+=("127.0.0.1:${name#infra}2379"); done
  (IFS=,; printf '%s' "${list[*]}")
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
is_up() { is_running "$1" && etcdctl --endpoints "$(client_url "$1")" endpoint health > /dev/null 2>&1; }

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
compare() {
  cat > "$dir/expected"
  cat "$dir/out1" "$dir/err1"
  [ "$status" = "$1" ] || differs "exit status $status, expected $1"
  diff -u --label expected --label found "$dir/expected" "$dir/out1" || differs "the output"
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
  if [ "$1" = all ]; then names=("${members[@]}"); else names=("$(member "$1")"); fi
  for name in "${names[@]}"; do [ -n "${down[$name]-}" ] || kill_member "$name"; done
  for name in "${names[@]}"; do start_member "$name"; done
}

begin() {
  local name
  members=("$@")
  for name in "$@"; do start_member "$name"; done
  ETCDCTL_ENDPOINTS=$(endpoints); export ETCDCTL_ENDPOINTS
  wait_until 30 has_leader
  sleep 5 # a member trusts a connection after five seconds
}
id_of() { etcdctl member list 2> /dev/null | awk -F', ' -v url="http://127.0.0.1:${1#infra}2380" '$4 == url { print $1 }'; }
add_member() {
  local number=1 name list
  while grep -q "^infra$number: " "$dir/Procfile"; do number=$((number + 1)); done
  name=infra$number
  etcdctl member add "$name" --peer-urls "http://127.0.0.1:${number}2380" "$@" > "$dir/added" || { differs "member add"; return; }
  list=$(sed -n 's/^ETCD_INITIAL_CLUSTER="\(.*\)"$/\1/p' "$dir/added")
  printf '%s: etcd --name %s --data-dir %s.etcd --listen-client-urls http://127.0.0.1:%s2379 --advertise-client-urls http://127.0.0.1:%s2379 --listen-peer-urls http://127.0.0.1:%s2380 --initial-advertise-peer-urls http://127.0.0.1:%s2380 --initial-cluster %s --initial-cluster-state existing %s\n' \
    "$name" "$name" "$name" "$number" "$number" "$number" "$number" "$list" "$common" >> "$dir/Procfile"
  members+=("$name")
  start_member "$name"
  ETCDCTL_ENDPOINTS=$(endpoints)
  wait_until 30 is_up "$name"
}
remove_member() {
  local name other kept=()
  name=$(member "$1")
  etcdctl member remove "$(id_of "$name")" || { differs "member remove"; return; }
  for other in "${members[@]}"; do [ "$other" = "$name" ] || kept+=("$other"); done
  members=("${kept[@]}")
  ETCDCTL_ENDPOINTS=$(endpoints)
}
promote_member() { wait_until 30 etcdctl member promote "$(id_of "$1")"; }

open_input() { rm -f "$dir/in$console"; mkfifo "$dir/in$console"; local fd; exec {fd}<> "$dir/in$console"; inputs[$console]=$fd; }
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

