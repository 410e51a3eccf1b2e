#!/usr/bin/env bash
# What a job runs: the gate as Markdown, into gate.md and the job's summary, and again for its log.
# Its inputs are variables, never text of this script, so that no name of a file or function is executed.
set -uo pipefail

if [[ -z ${GATE_AFTER:-} ]]; then
  echo "GATE_AFTER names no recordings to judge" >&2
  exit 2
fi
# shellcheck disable=SC2206 # patterns and lists of files are meant to be expanded
words=(${GATE_AFTER})
if [[ -n ${GATE_BEFORE:-} ]]; then
  # shellcheck disable=SC2206
  words+=(--before ${GATE_BEFORE})
fi
while IFS= read -r rule; do
  if [[ -n ${rule//[[:space:]]/} ]]; then words+=(--rule "$rule"); fi
done <<<"${GATE_RULES:-}"
if [[ ${GATE_REPORT_ONLY:-false} == true ]]; then words+=(--report-only); fi
# shellcheck disable=SC2206
words+=(${GATE_OPTIONS:-})

flamechat gate "${words[@]}" --format markdown >gate.md
code=$?
if ((code != 2)); then flamechat gate "${words[@]}" --format "${GATE_LOG:-text}"; fi
outcome=$(sed -n '2s/.*gate: \([a-z ]*\): .*/\1/p' gate.md)
if [[ -n ${GITHUB_STEP_SUMMARY:-} ]]; then cat gate.md >>"$GITHUB_STEP_SUMMARY"; fi
if [[ -n ${GITHUB_OUTPUT:-} ]]; then
  printf 'outcome=%s\nreport=gate.md\n' "${outcome:-misused}" >>"$GITHUB_OUTPUT"
fi
exit "$code"
