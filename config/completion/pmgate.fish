# Completion of pmgate for fish; made by `pmgate completion fish`.
function __pmgate_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l ask pmgate
    if test "$words[1]" = npx
        set ask npx --no pmgate
        set -e words[1]
    end
    set -l lines ($ask complete -- $words[2..-1] 2>/dev/null)
    if test "$lines[1]" = ':files'
        set -l word (commandline -ct)
        set -l flag (string match -r '^--[^=]*=' -- $word)
        set -l paths (__fish_complete_path (string replace -r '^--[^=]*=' '' -- $word))
        printf '%s\n' "$flag"$paths
    else
        printf '%s\n' $lines
    end
end
complete -c pmgate -f -a '(__pmgate_complete)'
complete -c npx -n '__fish_seen_subcommand_from pmgate' -f -a '(__pmgate_complete)'
