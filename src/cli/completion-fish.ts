// The script by which fish completes the command line, made of the tree of commands.
// https://fishshell.com/docs/current/completions.html

import {
  type CompletedCommand,
  type CompletedFlag,
  type CompletedValue,
  completedCommands,
} from "./completion-tree.ts";

/** The whole script: a file `meridian.fish` in a folder of completions, or to be read by `source`. */
export function fishCompletion(program: CompletedCommand): string {
  const commands = completedCommands(program);
  const paths = commands.map(({ path }) => path).filter((path) => path !== "");
  const valued = commands.flatMap(({ path, flags }) =>
    flags.flatMap(({ flag, value }) => (value ? [`${path} ${flag}`] : [])),
  );
  return `# Completion of ${program.name} in fish, as \`${program.name} completion fish\` prints it.

# Whether the words before the cursor are of this command and, if one is given, at this place of its
# arguments.
function __meridian_at
    set -l path ''
    set -l place 0
    set -l flag ''
    for word in (commandline -opc)[2..]
        if test -n "$flag"
            set flag ''
        else if string match -q -- '-*' $word
            contains -- "$path $word" ${valued.map(quoted).join(" ")}
            and set flag $word
        else if contains -- (string trim "$path $word") ${paths.map(quoted).join(" ")}
            set path (string trim "$path $word")
        else
            set place (math $place + 1)
        end
    end
    test "$path" = "$argv[1]"
    and begin
        not set -q argv[2]
        or test $place = $argv[2]
    end
end

# The flags of this line say which server is asked.
function __meridian_clusters
    set -l words (commandline -opc)
    eval $words[1] __complete clusters -- (string escape -- $words[2..]) 2>/dev/null
end

complete -c ${program.name} -e
complete -c ${program.name} -f
${commands.flatMap((each) => lines(program.name, each)).join("\n")}
`;
}

function lines(program: string, command: CompletedCommand): string[] {
  const at = (place?: number): string =>
    quoted(
      `__meridian_at ${[quoted(command.path), ...(place === undefined ? [] : [place])].join(" ")}`,
    );
  const begin = `complete -c ${program} -n`;
  return [
    ...command.commands.map(
      ({ name, description }) => `${begin} ${at(0)} -a ${name} -d ${quoted(description)}`,
    ),
    ...command.flags.map((flag) => `${begin} ${at()} ${flagText(flag)}`),
    ...command.arguments.flatMap(({ value, isLast }, index) =>
      value.kind === "unknown"
        ? []
        : [`${begin} ${at(isLast ? undefined : index)} ${offered(value)}`],
    ),
  ];
}

function flagText({ flag, description, value }: CompletedFlag): string {
  const taken = value === undefined ? "" : ` -r ${offered(value)}`;
  return `-l ${flag.slice(2)}${taken} -d ${quoted(description)}`;
}

function offered(value: CompletedValue): string {
  switch (value.kind) {
    case "file":
      return "-F";
    case "clusters":
      return "-f -a '(__meridian_clusters)'";
    case "words":
      return `-f -a ${quoted(value.words.join(" "))}`;
    case "unknown":
      return "-f";
  }
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, "\\$&")}'`;
