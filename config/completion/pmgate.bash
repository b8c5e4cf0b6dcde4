# Completion of pmgate for bash; made by `pmgate completion bash`.
_pmgate() {
  # Bash ends words at : and = as well; pmgate wants them as they were written.
  local line word before='' at=-1 rest=$COMP_LINE
  local -a words=() ask=(pmgate)
  for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [[ $at -ge 0 && $rest != [[:space:]]* ]]; then
      before=${words[at]}
      words[at]+=$word
    else
      before=''
      words[++at]=$word
      rest=${rest#"${rest%%[![:space:]]*}"}
    fi
    rest=${rest#"$word"}
  done
  if [[ ${words[0]} == npx ]]; then
    [[ ${words[1]:-} == pmgate && $at -ge 2 ]] || return 0
    ask=(npx --no pmgate)
    words=("${words[@]:1}")
    at=$((at - 1))
  fi
  # What stands before the cursor may be such an end itself: what follows it is replaced then.
  [[ $word == [:=] ]] && before=${words[at]}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == ':files' ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${words[at]#"$before"}")
      return
    fi
    line=${line%%$'\t'*}
    line=${line#"$before"}
    # Names of instances may hold blanks.
    [[ $line == *[[:space:]]* ]] && printf -v line %q "$line"
    COMPREPLY+=("$line")
  done < <("${ask[@]}" complete -- "${words[@]:1}" 2>/dev/null)
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *. ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _pmgate pmgate
# Where npx is not completed otherwise: npx pmgate …
complete -p npx >/dev/null 2>&1 || complete -o default -F _pmgate npx
