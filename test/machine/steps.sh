# What the walk's steps are made of. Each step prints one line, which the program on the host reads: "ok NAME # SECONDS s" or
# "not ok NAME # SECONDS s", with the end of what it printed below it.
export DEBIAN_FRONTEND=noninteractive HOME=/root
cd /root
# To the host and from it: the second serial port of an emulated machine, two pipes of a container.
if [ -p to-host ]; then
  exec 3> to-host 4< from-host
else
  exec 3<> /dev/ttyS1 4<&3
  stty -F /dev/ttyS1 raw -echo
fi
# The part of the walk: a word of the kernel's command line, or of the environment of the container's first process.
part=$(cat /proc/cmdline /proc/1/environ | tr '\0 ' '\n\n' | sed -n 's/^walk=//p' | head -n 1)

tell() { printf '%s\r\n' "$*" >&3; }

# Runs a function and reports it. Arguments: the name, the function, its arguments.
step() {
  local name=$1 began=$EPOCHREALTIME status
  shift
  # Nothing may follow with "||": bash ignores "set -e" in what stands before it, and a step would go on after what failed in it.
  (set -euo pipefail; trap 'echo "line $LINENO: $BASH_COMMAND" >&2' ERR; set -E; "$@") > /root/step.log 2>&1 < /dev/null
  status=$?
  local seconds
  seconds=$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')
  if [ "$status" -eq 0 ]; then
    tell "ok $name # $seconds s"
    sed -n 's/^figure: /# /p' /root/step.log | while read -r line; do tell "$line"; done
  else
    tell "not ok $name # $seconds s"
    tail -n 25 /root/step.log | while read -r line; do tell "# $line"; done
  fi
}

# "!" alone does not end a step.
not() {
  if "$@"; then echo "unexpected: $*"; return 1; fi
}

figure() { echo "figure: $*"; }

# On the machine of an operator these are programs of their own.
sudo() { "$@"; }

# Runs a command of the runbook as it stands there. Arguments: the command, then pairs of a placeholder and what replaces it.
documented() {
  local command=$1
  grep -qxF "$command" commands || { echo "docs/operations.md has no command: $command"; return 1; }
  echo "$command" >> commands-run
  shift
  while [ $# -gt 0 ]; do command=${command//"$1"/"$2"}; shift 2; done
  echo "+ $command"
  eval "$command"
}

# Waits until a command succeeds. Arguments: seconds, command.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@" > /root/within.log 2>&1; do
    if [ "$SECONDS" -ge "$end" ]; then cat /root/within.log; echo "not within the time: $*"; return 1; fi
    sleep 0.5
  done
}

# The status of a lookup. Argument: the port.
lookup_status() {
  curl -s -o /root/answer.json -w '%{http_code}' -m 60 "http://127.0.0.1:$1/api/lookup" -H "Authorization: Bearer $(cat /root/key)" \
    -H 'Content-Type: application/json' -d '{"address":"12 Main St W, Sampleton, ON"}'
}
answers() { [ "$(lookup_status "$1")" = "${2:-200}" ]; }
# Also from the operator's own layer.
answers_right() { answers "$1" && grep -q '"municipality":{"munId":"9001"' /root/answer.json && grep -q '"quietZone":"\(very_\)\?quiet"' /root/answer.json; }

main_pid() { systemctl show -p MainPID --value "land-lookup@$1"; }
in_service() { readlink /opt/land-lookup/current; }

# Tells the host something, and waits for its answer, in `answer`.
ask_host() {
  tell "$1"
  read -r -t 300 answer <&4
  figure "$answer"
}

# Asks the host for a load of lookups through the proxy, and for its end. The end gives the figures of the load; a request that failed is an error.
load_begins() { tell 'load begins'; }
load_ends() {
  ask_host 'load ends'
  [[ $answer == *' 0 failed'* ]]
}
