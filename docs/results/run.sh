#!/usr/bin/env bash
# Every table and figure of the paper, then the report of them.
# Needs softcost[plot] and the data sets in SOFTCOST_DATA. What is in the store is not computed
# again: to go on from the committed rows, first
#     softcost reproduce import rows.csv.gz --store results.sqlite
set -euo pipefail
cd "$(dirname "$0")"
store=${1:-results.sqlite}
jobs=${2:-2}
small=iris,wine,glass,vehicle,vowel,segment,dna,zoo,yeast,anneal,solar,splice,ecoli,soybean,arrhythmia,mfeat
large=satimage,usps,pageblock,nursery,optdigits,pendigit
run() { softcost reproduce "$@" --store "$store" --jobs "$jobs" --quiet >/dev/null; }

run inconsistent --datasets $small --matrices both
run consistent --datasets $small
run alpha-selection
run unbalanced
run emphasis
run softness-curve
run sers
run inconsistent --datasets $small --grid 1/C
for runs in 5 10 20; do
  run inconsistent --datasets $large --matrices both --runs $runs
  run consistent --datasets $large --runs $runs
done
# Large: more memory and time for each run than all of the above for one. KDD_MEMORY is
# in megabytes, for each of the jobs; from about 10500 on all kernel values fit into it.
if [ -n "${KDD_RUNS:-}" ]; then
  run kdd99 --runs "$KDD_RUNS" --cache-size "${KDD_MEMORY:-2000}"
  run kdd99-balanced --runs "$KDD_RUNS" --cache-size "${KDD_MEMORY:-2000}"
fi

softcost reproduce export rows.csv.gz --store "$store"
softcost reproduce pages rows.csv.gz -o .
