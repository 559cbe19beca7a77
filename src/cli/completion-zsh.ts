// The script by which zsh completes the command line, made of the tree of commands.
// https://zsh.sourceforge.io/Doc/Release/Completion-System.html

import {
  type CompletedArgument,
  type CompletedCommand,
  type CompletedFlag,
  type CompletedValue,
  completedCommands,
} from "./completion-tree.ts";

/** The whole script: a file `_meridian` in a folder of `fpath`, or to be read by `source`. */
export function zshCompletion(program: CompletedCommand): string {
  const functions = completedCommands(program).map(functionOf).join("\n");
  return `#compdef ${program.name}
# Completion of ${program.name} in zsh, as \`${program.name} completion zsh\` prints it.

${functions}
_meridian_clusters() {
  # The flags of this line say which server is asked.
  local -a names
  names=(\${(f)"$(\${~whole[1]} __complete clusters -- \${whole[2,-1]} 2>/dev/null)"})
  _describe -t clusters cluster names
}

_meridian() {
  local -a whole
  whole=("\${(@)words[1,CURRENT-1]}")
  ${functionName(program)}
}

# As a file of fpath it is called at once, read by source it is only made known.
if [[ $funcstack[1] == _meridian ]]; then
  _meridian "$@"
else
  compdef _meridian ${program.name}
fi
`;
}

const functionName = ({ path }: CompletedCommand): string =>
  `_meridian_of_${path.replace(/[^a-z]/g, "_")}`;

function functionOf(command: CompletedCommand): string {
  const flags = command.flags.map(flagSpec);
  if (command.commands.length === 0) {
    const specs = [...flags, ...command.arguments.map(argumentSpec)];
    return `${functionName(command)}() {\n  _arguments -S ${specs.join(" \\\n    ")}\n}\n`;
  }
  const described = command.commands.map(
    ({ name, description }) => `      ${quoted(`${name}:${description}`)}`,
  );
  const calls = command.commands.map((each) => `        ${each.name}) ${functionName(each)} ;;`);
  return `${functionName(command)}() {
  local context state state_descr line
  local -A opt_args
  local -a commands
  _arguments -C ${[...flags, "'1:command:->command'", "'*::argument:->argument'"].join(" \\\n    ")}
  case $state in
    command)
      commands=(
${described.join("\n")}
      )
      _describe -t commands command commands ;;
    argument)
      case $line[1] in
${calls.join("\n")}
      esac ;;
  esac
}
`;
}

function flagSpec({ flag, description, value, valueName, isRepeated }: CompletedFlag): string {
  const explained = `[${description.replace(/[\\[\]:]/g, "\\$&")}]`;
  const taken =
    value === undefined ? "" : `=${explained}:${valueName.replace(/:/g, "\\:")}:${action(value)}`;
  return quoted(`${isRepeated ? "*" : ""}${flag}${taken === "" ? explained : taken}`);
}

function argumentSpec({ name, value, isLast, isRequired }: CompletedArgument, index: number) {
  return quoted(
    `${isLast ? "*" : index + 1}${isRequired || isLast ? "" : ":"}:${name}:${action(value)}`,
  );
}

function action(value: CompletedValue): string {
  switch (value.kind) {
    case "file":
      return "_files";
    case "clusters":
      return "_meridian_clusters";
    case "words":
      return `(${value.words.join(" ")})`;
    case "unknown":
      return " ";
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
