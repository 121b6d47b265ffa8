#!/usr/bin/env bash
# Trains a model from nothing to weights; run again it goes on where it stopped.
#   ./train.sh cross-encoder [options of pragtrain.train]
#   ./train.sh embedder [options of pragtrain.embedder_train]     (STEPS: batches that the teachers read for; default 300;
#     SHARE: of the trained weights beside the trunk's, default 0.5, or "choose": the best on sets that were kept apart)
# WORK (default .pragaura/training in the repository) holds everything it makes; DATA the data (default ../shared/data
# beside the repository); DIST the built product that mines negatives and words claims (default dist).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
model=${1:?which model? cross-encoder or embedder}
shift
work=${WORK:-$root/.pragaura/training}
data=${DATA:-$root/../shared/data}
dist=${DIST:-$root/dist}
case $model in cross-encoder | embedder) ;; *) echo "no model named $model; there are: cross-encoder, embedder" >&2; exit 2 ;; esac
python=$work/venv/bin/python
# The stamp is written last: what an installation that was broken off left is made anew.
stamp=$work/venv/requirements.lock
if ! cmp -s "$here/requirements.lock" "$stamp"; then
  "${PYTHON:-python3.11}" -m venv --clear "$work/venv"
  "$work/venv/bin/pip" install --require-hashes -r "$here/requirements.lock"
  cp "$here/requirements.lock" "$stamp"
fi
cd "$here"
case $model in cross-encoder) rows=pragtrain.prepare ;; embedder) rows=pragtrain.embedder_rows ;; esac
"$python" -m "$rows" --data "$data" --dist "$dist" --work "$work/$model"
# Without tcmalloc a CPU spends most of a training step on page faults (Debian: libtcmalloc-minimal4).
malloc=${TCMALLOC:-$(find /usr/lib /usr/local/lib -name 'libtcmalloc_minimal.so.4' 2>/dev/null | head -1 || true)}
export LD_PRELOAD=${malloc:-}
# Threads that wait by spinning take the time of whatever else runs, and of each other.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
[ "$model" = embedder ] || exec "$python" -m pragtrain.train --work "$work/$model" "$@"
"$python" -m pragtrain.embedder_teachers --work "$work/$model" --steps "${STEPS:-300}"
"$python" -m pragtrain.embedder_train --work "$work/$model" "$@"
share=(--share "${SHARE:-0.5}")
[ "${SHARE:-}" != choose ] || share=(--choose "$work/$model/choose.json")
[ ! -e "$work/$model/model.pt" ] || exec "$python" -m pragtrain.embedder_export "$work/$model/model.pt" --out "$work/embedder-export" --data "$data" "${share[@]}"
