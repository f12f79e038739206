#!/usr/bin/env bash
set -euo pipefail
exec 3< <(exec lightsim --ready-json)
trap "kill $!" EXIT
read -r ready <&3 # one line, as soon as the bridge is there
value() { grep -Po "\"$1\":\"?\K[^\",}]+"; }
host=$(value host <<<"$ready")
bridge="https://$host:$(value https_port <<<"$ready")" control="http://$host:$(value control_port <<<"$ready")"
ask() { curl --silent --show-error --fail-with-body --insecure --pinnedpubkey "$(value pin <<<"$ready")" "$@"; }

ask -d '{"devicetype":"my_app#test"}' "$bridge/api" # [{"error":{"type":101,"description":"link button not pressed"…
ask -X POST "$control/button"
key=$(ask -d '{"devicetype":"my_app#test"}' "$bridge/api" | value username)
lamp=$(ask -H "hue-application-key: $key" "$bridge/clip/v2/resource/light" | value id | sed -n 1p)
ask -H "hue-application-key: $key" -X PUT -d '{"on":{"on":true}}' "$bridge/clip/v2/resource/light/$lamp"
ask -H "hue-application-key: $key" "$bridge/clip/v2/resource/light/$lamp" | grep -q '"on":{"on":true}'
