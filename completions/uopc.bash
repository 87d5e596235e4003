# uopc.bash - completion of uopc's command line in bash. Commands and options are those of
# `uopc help`; tests/install.sh sees that none is missing.

_uopc_files() { COMPREPLY=($(compgen -d -- "$current") $(compgen -f -X "!*.$1" -- "$current")); }
_uopc_sets() { "${COMP_WORDS[0]}" rules 2>/dev/null | sed 's/ .*//'; }

_uopc() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local commands="check fmt run graph stats simplify rewrite rules help" command=${COMP_WORDS[1]} options="-e -h --help"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "$commands -h --help -V --version" -- "$current"))
    return
  fi
  case $command in
  help)
    [ "$COMP_CWORD" -eq 2 ] && COMPREPLY=($(compgen -W "$commands" -- "$current"))
    return
    ;;
  fmt | stats) options="$options -o --output" ;;
  graph) options="$options -o --output --svg --png" ;;
  run)
    options="$options -o --output --param --buffer --fill --all --full --json --time --out"
    options="$options --max-steps --max-bytes"
    ;;
  simplify) options="$options -o --output --set --stats --trace --count" ;;
  rewrite) options="$options -o --output --rules --set --order --max-steps --trace --count" ;;
  rules) options="-h --help --all --check" ;;
  esac
  case $previous in
  -o | --output | --out) COMPREPLY=($(compgen -f -- "$current")) ;;
  --rules | --check) _uopc_files rules ;;
  --set) COMPREPLY=($(compgen -W "$(_uopc_sets)" -- "$current")) ;;
  --order) COMPREPLY=($(compgen -W "bottom-up top-down one-pass" -- "$current")) ;;
  -e | --param | --buffer | --fill | --max-steps | --max-bytes) ;; # whatever one likes
  *)
    case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *)
      if [ "$command" = rules ]; then
        COMPREPLY=($(compgen -W "$(_uopc_sets)" -- "$current"))
      else
        _uopc_files uir
      fi
      ;;
    esac
    ;;
  esac
}

complete -o filenames -F _uopc uopc
