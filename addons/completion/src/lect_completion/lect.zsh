#compdef lect
# lect completion zsh
@NAMES
_lect() {
    local word=${words[CURRENT]} before=${words[CURRENT-1]} options names
    if ((CURRENT == 2)); then
        names='@COMMANDS'
        compadd -- ${=names}
        return
    fi
    if [[ $word == --*=* ]]; then
        before=${word%%=*}
        compset -P '*='
        word=${word#*=}
    fi
    case ${words[2]} in
@CASES
    esac
    if [[ $word == -* ]]; then
        compadd -- ${=options}
    else
        compadd -- ${=names}
        _files
    fi
}
if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
    _lect "$@"
else
    compdef _lect lect
fi
