/// What `lightctl --generate-completion-script SHELL` prints. The scripts only ask lightctl, so that they need no change
/// for a new command or a new lamp, and take names as they are: no shell expands them.
enum CompletionScript: String, CaseIterable {
    case bash, zsh, fish

    var text: String {
        switch self {
        case .bash:
            #"""
            # bash completion for lightctl
            _lightctl() {
                local line
                COMPREPLY=()
                while IFS= read -r line; do
                    COMPREPLY+=("$line")
                done < <("$1" complete bash "$COMP_POINT" "$COMP_LINE" "$COMP_WORDBREAKS" 2>/dev/null)
                if [[ ${COMPREPLY[0]-} == $'\tfiles' ]]; then
                    COMPREPLY=()
                    compopt -o default
                fi
            }
            complete -F _lightctl lightctl

            """#
        case .zsh:
            #"""
            #compdef lightctl
            # zsh completion for lightctl
            _lightctl() {
                local -a lines values shown
                local line
                lines=("${(@f)$(${(Q)words[1]} complete words "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
                if [[ ${lines[1]} == $'\tfiles' ]]; then
                    _files
                    return
                fi
                for line in $lines; do
                    values+=("${line%%$'\t'*}")
                    if [[ $line == *$'\t'* ]]; then
                        shown+=("${line%%$'\t'*}  -- ${line#*$'\t'}")
                    else
                        shown+=("$line")
                    fi
                done
                (( ${#values} )) && compadd -l -d shown -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}' -a values
            }
            if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
                _lightctl "$@"
            else
                compdef _lightctl lightctl
            fi

            """#
        case .fish:
            #"""
            # fish completion for lightctl
            function __lightctl_complete
                set -l words (commandline -opc)
                set -l lines ($words[1] complete words $words[2..] (commandline -ct | string unescape) 2>/dev/null)
                if test "$lines[1]" = \tfiles
                    __fish_complete_path (commandline -ct)
                else
                    printf '%s\n' $lines
                end
            end
            complete -c lightctl -f -a '(__lightctl_complete)'

            """#
        }
    }
}
