#!/usr/bin/env bash
# Looks up a large CSV file in parts, on as many cores and machines as there are, with the snapshot in service on each and without a service.
# usage: shards.sh split places.csv FOLDER PARTS
# usage: shards.sh answer FOLDER NUMBER           for each part, from 1: by GNU parallel, a Slurm array, an indexed job of Kubernetes
# usage: shards.sh join FOLDER > answers.ndjson   when all parts are answered: the same bytes as from one run over the whole file
set -euo pipefail
export LC_ALL=C

# Each part begins with the header. A row must be on one line.
split_rows() { # places.csv FOLDER PARTS
  local rows header
  if ! tail -n +2 "$1" | awk -F '"' 'NF % 2 == 0 { exit 1 }'; then
    echo "$1 has a row of several lines: it cannot be split by lines" >&2
    return 1
  fi
  rows=$(($(grep --count '' "$1") - 1))
  if ((rows < $3)); then
    echo "$1 has $rows rows, fewer than parts" >&2
    return 1
  fi
  header=$(head --lines=1 "$1")
  mkdir "$2"
  tail -n +2 "$1" | HEADER=$header awk -v rows="$rows" -v parts="$3" -v folder="$2" '{
    part = int((NR - 1) * parts / rows) + 1
    if (part != last) { close(file); file = sprintf("%s/part-%04d.csv", folder, part); print ENVIRON["HEADER"] > file; last = part }
    print > file
  }'
}

# May be started again after whatever happened, also twice at once: the second one waits, and finds the part answered.
answer() { # FOLDER NUMBER
  local part resume=()
  part=$1/part-$(printf '%04d' "$2")
  exec 9> "$part.lock"
  flock 9
  if [[ -e $part.ndjson ]]; then return; fi
  if [[ -e $part.unfinished.resume ]]; then resume=(--resume); fi
  land-lookup lookup --file "$part.csv" --format ndjson --out "$part.unfinished" "${resume[@]}"
  mv "$part.unfinished" "$part.ndjson"
}

# The statements of the licences stand in the first line of each part, and in the first line of the whole.
join_parts() { # FOLDER
  local csv answers isFirst=yes
  for csv in "$1"/part-*.csv; do
    answers=${csv%.csv}.ndjson
    if [[ ! -e $answers ]]; then
      echo "$answers is missing: answer this part first" >&2
      return 1
    fi
  done
  for csv in "$1"/part-*.csv; do
    if [[ $isFirst == yes ]]; then cat "${csv%.csv}.ndjson"; else sed '1s/\(.*\),"attribution":\[.*\]}$/\1}/' "${csv%.csv}.ndjson"; fi
    isFirst=no
  done
}

case "${1:-} $#" in
  'split 4') split_rows "$2" "$3" "$4" ;;
  'answer 3') answer "$2" "$3" ;;
  'join 2') join_parts "$2" ;;
  *)
    sed -n 's/^# usage/usage/p' "$0" >&2
    exit 2
    ;;
esac
