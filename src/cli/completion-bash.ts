// The script by which bash (3.2 and later) completes the command line, made of the tree of commands.
// https://www.gnu.org/software/bash/manual/html_node/Programmable-Completion.html

import {
  type CompletedCommand,
  type CompletedValue,
  completedCommands,
} from "./completion-tree.ts";

/** The whole script, to be read by `source`. */
export function bashCompletion(program: CompletedCommand): string {
  const commands = completedCommands(program);
  const children = commands
    .filter((each) => each.commands.length > 0)
    .map((each) => [each.path, each.commands.map(({ name }) => name).join(" ")] as const);
  const flags = commands.map(
    (each) => [each.path, each.flags.map(({ flag }) => flag).join(" ")] as const,
  );
  const values = commands.flatMap((each) => [
    ...each.flags.flatMap(({ flag, value }) =>
      value ? [[`${each.path} ${flag}`, valueText(value)] as const] : [],
    ),
    ...each.arguments.map(
      ({ value, isLast }, index) =>
        [`${each.path} ${isLast ? "*" : index}`, valueText(value)] as const,
    ),
  ]);
  return `# Completion of ${program.name} in bash, as \`${program.name} completion bash\` prints it.

# Each sets REPLY, or fails where there is nothing.
_meridian_commands() { case $1 in
${cases(children)}
  *) REPLY=; return 1 ;;
esac; }
_meridian_flags() { case $1 in
${cases(flags)}
  *) REPLY=; return 1 ;;
esac; }
# Of "COMMAND --flag" or "COMMAND PLACE": a kind of value, or the words.
_meridian_value() { case $1 in
${cases(values)}
  *) REPLY=; return 1 ;;
esac; }

${walk.trim()}
complete -F _meridian ${program.name}
`;
}

/** A star stands for any place; flags begin with a hyphen, so it takes no other than places. */
function cases(rows: readonly (readonly [key: string, reply: string])[]): string {
  return rows
    .map(([key, reply]) => {
      const pattern = key.endsWith(" *") ? `'${key.slice(0, -1)}'[0-9]` : `'${key}'`;
      return `  ${pattern}) REPLY='${reply}' ;;`;
    })
    .join("\n");
}

function valueText(value: CompletedValue): string {
  return value.kind === "words" ? value.words.join(" ") : `:${value.kind}`;
}

const walk = String.raw`
_meridian() {
  local REPLY word glued= path= flag= place=0 current index
  local -a words=()
  COMPREPLY=()
  # bash takes --flag=value and http://host apart at = and :, which are put together again.
  for ((index = 1; index <= COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ \${#words[@]} -gt 0 && ( -n $glued || $word =~ ^[:=]+$ ) ]]; then
      words[\${#words[@]}-1]+=$word
    else
      words+=("$word")
    fi
    if [[ $word =~ ^[:=]+$ ]]; then glued=1; else glued=; fi
  done
  current=\${words[\${#words[@]}-1]}
  unset "words[\${#words[@]}-1]"

  for word in "\${words[@]}"; do
    if [[ -n $flag ]]; then
      flag=
    elif [[ $word == -* ]]; then
      if _meridian_value "$path $word"; then flag=$word; fi
    elif _meridian_commands "$path" && [[ " $REPLY " == *" $word "* ]]; then
      path=\${path:+$path }$word
    else
      place=$((place + 1))
    fi
  done
  if [[ -z $flag && $current == -*=* ]]; then
    flag=\${current%%=*}
    current=\${current#*=}
  fi

  if [[ -n $flag ]]; then
    _meridian_value "$path $flag"
  elif [[ $current == -* ]]; then
    _meridian_flags "$path"
  else
    _meridian_commands "$path" || _meridian_value "$path $place"
  fi
  case $REPLY in
    :file)
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
      return ;;
    :clusters)
      # The flags of this line say which server is asked.
      REPLY=$("\${COMP_WORDS[0]/#\~/$HOME}" __complete clusters -- "\${words[@]}" 2>/dev/null) ;;
    :*) return ;;
  esac
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$REPLY" -- "$current")
}`.replaceAll("\\$", "$");
