export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The line by which `pmgate complete` requests file names from its shell. */
export const COMPLETE_FILES = ':files';

/**
 * Completion scripts. They run `pmgate complete`, which writes candidates, each with a tab and a description if there is one. Candidates
 * that end in a dot continue.
 */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of pmgate for bash; made by \`pmgate completion bash\`.
_pmgate() {
  # Bash ends words at : and = as well; pmgate wants them as they were written.
  local line word before='' at=-1 rest=$COMP_LINE
  local -a words=() ask=(pmgate)
  for word in "\${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    if [[ $at -ge 0 && $rest != [[:space:]]* ]]; then
      before=\${words[at]}
      words[at]+=$word
    else
      before=''
      words[++at]=$word
      rest=\${rest#"\${rest%%[![:space:]]*}"}
    fi
    rest=\${rest#"$word"}
  done
  if [[ \${words[0]} == npx ]]; then
    [[ \${words[1]:-} == pmgate && $at -ge 2 ]] || return 0
    ask=(npx --no pmgate)
    words=("\${words[@]:1}")
    at=$((at - 1))
  fi
  # What stands before the cursor may be such an end itself: what follows it is replaced then.
  [[ $word == [:=] ]] && before=\${words[at]}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == '${COMPLETE_FILES}' ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "\${words[at]#"$before"}")
      return
    fi
    line=\${line%%$'\\t'*}
    line=\${line#"$before"}
    # Names of instances may hold blanks.
    [[ $line == *[[:space:]]* ]] && printf -v line %q "$line"
    COMPREPLY+=("$line")
  done < <("\${ask[@]}" complete -- "\${words[@]:1}" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *. ]]; then
    compopt -o nospace 2>/dev/null
  fi
}
complete -F _pmgate pmgate
# Where npx is not completed otherwise: npx pmgate …
complete -p npx >/dev/null 2>&1 || complete -o default -F _pmgate npx
`,
  zsh: `#compdef pmgate npx
# Completion of pmgate for zsh; made by \`pmgate completion zsh\`.
_pmgate() {
  local line text
  local -a nodes others ask=(pmgate) typed=("\${(@)words[2,CURRENT]}")
  if [[ $words[1] == npx ]]; then
    if [[ \${words[2]:-} != pmgate || $CURRENT -lt 3 ]]; then
      _default
      return
    fi
    ask=(npx --no pmgate)
    typed=("\${(@)words[3,CURRENT]}")
  fi
  for line in "\${(@f)$("\${(@)ask}" complete -- "\${(@)typed}" 2>/dev/null)}"; do
    [[ -n $line ]] || continue
    if [[ $line == '${COMPLETE_FILES}' ]]; then
      compset -P '--*='
      _files
      return
    fi
    text=\${line%%$'\\t'*}
    if [[ $text == *. ]]; then
      nodes+=("$text")
    elif [[ $line == *$'\\t'* ]]; then
      others+=("\${text//:/\\\\:}:\${line#*$'\\t'}")
    else
      others+=("\${text//:/\\\\:}")
    fi
  done
  (( \${#nodes} )) && compadd -S '' -- "\${nodes[@]}"
  (( \${#others} )) && _describe pmgate others
}
if [[ \${funcstack[1]:-} == _pmgate ]]; then
  _pmgate "$@"
else
  compdef _pmgate pmgate
  (( \${+_comps[npx]} )) || compdef _pmgate npx
fi
`,
  fish: `# Completion of pmgate for fish; made by \`pmgate completion fish\`.
function __pmgate_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l ask pmgate
    if test "$words[1]" = npx
        set ask npx --no pmgate
        set -e words[1]
    end
    set -l lines ($ask complete -- $words[2..-1] 2>/dev/null)
    if test "$lines[1]" = '${COMPLETE_FILES}'
        set -l word (commandline -ct)
        set -l flag (string match -r '^--[^=]*=' -- $word)
        set -l paths (__fish_complete_path (string replace -r '^--[^=]*=' '' -- $word))
        printf '%s\\n' "$flag"$paths
    else
        printf '%s\\n' $lines
    end
end
complete -c pmgate -f -a '(__pmgate_complete)'
complete -c npx -n '__fish_seen_subcommand_from pmgate' -f -a '(__pmgate_complete)'
`,
};
