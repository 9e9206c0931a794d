# lect completion bash
@NAMES
_lect() {
    local line=${COMP_LINE:0:COMP_POINT} word words before options names common
    word=${line##*[[:space:]]}
    read -ra words <<< "${line%"$word"}"
    COMPREPLY=()
    if ((${#words[@]} < 2)); then
        COMPREPLY=($(compgen -W '@COMMANDS' -- "$word"))
        return
    fi
    before=${words[${#words[@]}-1]}
    # bash takes = and : for ends of words, and completes what is behind them.
    if [[ $COMP_WORDBREAKS == *:* ]]; then
        common=${word%"${word##*[=:]}"}
    fi
    if [[ $word == --*=* ]]; then
        before=${word%%=*}
        common=${common#"$before="}
        word=${word#*=}
    fi
    case ${words[1]} in
@CASES
    esac
    if [[ $word == -* ]]; then
        names=$options
        common=
    fi
    COMPREPLY=($(compgen -W "$names" -- "$word"))
    COMPREPLY=("${COMPREPLY[@]#"$common"}")
}
complete -o bashdefault -o default -F _lect lect
