#!/usr/bin/env bash
# A language model in a GGUF file, run by node-llama-cpp beside the packed package, as a user has them: words answers behind
# the gate. Needs the npm registry (some 1.4 GB on disk) and a model; therefore a command of its own:
#   npm run local-model -- model.gguf
set -euo pipefail
cd "$(dirname "$0")/../.."
model=$(realpath "${1:?Which model? Name a GGUF file of a chat model.}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm pack --silent --pack-destination "$work" > /dev/null
cp -r generation/testing/local-model.mjs router/demo/documents "$work"
cd "$work"
npm init --yes > /dev/null
ONNXRUNTIME_NODE_INSTALL=skip npm install --silent --no-audit --no-fund ./pragaura-*.tgz node-llama-cpp@3.22.1
node local-model.mjs "$model"
npx pragaura index documents --out index 2> /dev/null
for run in first second; do
  echo '{"query": "Who leads the platform team?"}' |
    npx pragaura generate --index index --generator "$model" --generator-cache answers > "$run.ndjson"
done
node -e '
  const [first, second] = ["first", "second"].map((run) => JSON.parse(require("fs").readFileSync(`${run}.ndjson`, "utf8")));
  if (first.decision.action !== "ANSWER") throw new Error("the question of the demo is no longer answered");
  const requests = [first, second].map(({ generation }) => generation.budget.requests.spent);
  if (requests.join() !== "1,0") throw new Error(`asked ${requests} times`);
  if (first.generation.text !== second.generation.text) throw new Error("another text from the cache");
  console.log(`ok: generate, and the same once more without asking: ${first.generation.status}: ${first.generation.text}`);
'
