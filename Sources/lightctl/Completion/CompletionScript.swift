import ControlProtocol
import FoundationEssentials

/// What `lightctl --generate-completion-script SHELL` prints. The scripts only ask lightctl, so that they need no change
/// for a new command or a new lamp, and take names as they are: no shell expands them, and none sorts them.
enum CompletionScript: String, CaseIterable {
    case bash, zsh, fish

    static let option = "--generate-completion-script"

    /// What $SHELL says.
    static var usersShell: String? {
        ProcessInfo.processInfo.environment["SHELL"]?.split(separator: "/").last.map(String.init)
    }

    /// The script that is asked for with "--generate-completion-script bash" or "--generate-completion-script=bash", or
    /// without a name for the user's own shell; `nil` if something else is asked for.
    ///
    /// - Parameter shell: the user's own.
    /// - Throws: ``ErrorReply`` if there is no script for the shell.
    init?(arguments: [String], shell: String?) throws(ErrorReply) {
        guard let first = arguments.first else { return nil }
        let name: String?
        if first == Self.option, arguments.count < 3 {
            name = arguments.count == 2 ? arguments[1] : shell
        } else if first.hasPrefix(Self.option + "="), arguments.count == 1 {
            name = String(first.dropFirst(Self.option.count + 1))
        } else {
            return nil
        }
        guard let script = name.flatMap(Self.init(rawValue:)) else {
            throw ErrorReply(
                .invalid, "no completion script for \(name.map { "'\($0)'" } ?? "an unknown shell")",
                hint: "name one of \(Self.allCases.map(\.rawValue).joined(separator: ", ")): "
                    + "lightctl \(Self.option) bash")
        }
        self = script
    }

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
                done < <("$1" complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
                if [[ ${COMPREPLY[0]-} == $'\tfiles' ]]; then
                    COMPREPLY=()
                    compopt -o default
                fi
            }
            # Before bash 4.4 there is no nosort.
            complete -o nosort -F _lightctl lightctl 2>/dev/null || complete -F _lightctl lightctl

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
                (( ${#values} )) && compadd -V lightctl -l -d shown -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}' -a values
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
            complete -c lightctl -f -k -a '(__lightctl_complete)'

            """#
        }
    }
}
