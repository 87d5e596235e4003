# uopc.bash - completion of uopc's command line in bash. Commands and options are those of
# `uopc help`; tests/install.sh sees that none is missing.

_uopc() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local commands="check fmt run graph stats help" command=${COMP_WORDS[1]} options="-e -h --help"
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
  esac
  case $previous in
  -o | --output | --out) COMPREPLY=($(compgen -f -- "$current")) ;;
  -e | --param | --buffer | --fill | --max-steps | --max-bytes) ;; # whatever one likes
  *)
    case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -d -- "$current") $(compgen -f -X '!*.uir' -- "$current")) ;;
    esac
    ;;
  esac
}

complete -o filenames -F _uopc uopc
