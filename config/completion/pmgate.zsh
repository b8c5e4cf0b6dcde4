#compdef pmgate npx
# Completion of pmgate for zsh; made by `pmgate completion zsh`.
_pmgate() {
  local line text
  local -a nodes others ask=(pmgate) typed=("${(@)words[2,CURRENT]}")
  if [[ $words[1] == npx ]]; then
    if [[ ${words[2]:-} != pmgate || $CURRENT -lt 3 ]]; then
      _default
      return
    fi
    ask=(npx --no pmgate)
    typed=("${(@)words[3,CURRENT]}")
  fi
  for line in "${(@f)$("${(@)ask}" complete -- "${(@)typed}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    if [[ $line == ':files' ]]; then
      compset -P '--*='
      _files
      return
    fi
    text=${line%%$'\t'*}
    if [[ $text == *. ]]; then
      nodes+=("$text")
    elif [[ $line == *$'\t'* ]]; then
      others+=("${text//:/\\:}:${line#*$'\t'}")
    else
      others+=("${text//:/\\:}")
    fi
  done
  (( ${#nodes} )) && compadd -S '' -- "${nodes[@]}"
  (( ${#others} )) && _describe pmgate others
}
if [[ ${funcstack[1]:-} == _pmgate ]]; then
  _pmgate "$@"
else
  compdef _pmgate pmgate
  (( ${+_comps[npx]} )) || compdef _pmgate npx
fi
