import type { Argument, Command, Option } from 'commander';

/** Candidates for the last word of a command line. */
export type Expected =
  | { readonly kind: 'command'; readonly commands: readonly Command[] }
  | { readonly kind: 'flag'; readonly flags: readonly Option[] }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** An argument by its name in the usage: `metric`, `archive`, `file`. */
  | { readonly kind: 'argument'; readonly name: string };

export interface UnfinishedLine {
  readonly expected: Expected | undefined;
  /** The text to complete: the last word, or in `--output=js` the part after the equal sign. */
  readonly word: string;
  /** The part of the same word before that. */
  readonly before: string;
  /** Values of earlier flags, by the flag's attribute name. */
  readonly values: Readonly<Record<string, string>>;
  /** Earlier arguments that are not flags: metric names, for commands that take them. */
  readonly positionals: readonly string[];
}

/** Parses the words after `pmgate`, the last of which is unfinished. */
export function understandWords(program: Command, words: readonly string[]): UnfinishedLine {
  let word = words.at(-1) ?? '';
  let joined = '';
  const values: Record<string, string> = {};
  let command = program;
  let valueOf: Option | undefined;
  let isForHelp = false;
  let isFlagsOver = false;
  const positionals: string[] = [];
  for (const before of words.slice(0, -1)) {
    if (valueOf) {
      values[valueOf.attributeName()] = before;
      valueOf = undefined;
    } else if (before === '--') {
      isFlagsOver = true;
    } else if (before.startsWith('-') && before !== '-' && !isFlagsOver) {
      const [name = '', value] = splitOnce(before, '=');
      const option = flagsOf(command).find(({ short, long }) => short === name || long === name);
      if (!option || !takesValue(option)) continue;
      if (value === undefined) valueOf = option;
      else values[option.attributeName()] = value;
    } else {
      const sub = command.commands.find((candidate) => [candidate.name(), ...candidate.aliases()].includes(before));
      if (command === program && before === 'help') isForHelp = true;
      else if (sub && positionals.length === 0) command = sub;
      else positionals.push(before);
    }
  }
  const equals = word.indexOf('=');
  if (!valueOf && !isFlagsOver && word.startsWith('--') && equals > 0) {
    valueOf = flagsOf(command).find((option) => option.long === word.slice(0, equals) && takesValue(option));
    if (valueOf) [joined, word] = [word.slice(0, equals + 1), word.slice(equals + 1)];
  }
  return { expected: expectedOf(), word, before: joined, values, positionals };

  function expectedOf(): Expected | undefined {
    if (valueOf) return argumentKind(/<([^>]+)>/.exec(valueOf.flags)?.[1], valueOf.argChoices);
    if (word.startsWith('-') && !isFlagsOver) return { kind: 'flag', flags: flagsOf(command) };
    if (command.commands.length > 0) {
      return positionals.length === 0 ? { kind: 'command', commands: command.commands } : undefined;
    }
    if (isForHelp) return undefined;
    const argument = argumentAt(command.registeredArguments, positionals.length);
    return argument && argumentKind(argument.name(), argument.argChoices);
  }
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function flagsOf(command: Command): readonly Option[] {
  return [...command.createHelp().visibleOptions(command), ...(command.parent ? flagsOf(command.parent) : [])].filter(
    ({ long }, i, all) => all.findIndex((other) => other.long === long) === i,
  );
}

function argumentAt(all: readonly Argument[], at: number): Argument | undefined {
  const last = all.at(-1);
  return all[at] ?? (last?.variadic === true ? last : undefined);
}

function argumentKind(name: string | undefined, choices: readonly string[] | undefined): Expected | undefined {
  if (choices) return { kind: 'choice', choices };
  return name === undefined ? undefined : { kind: 'argument', name };
}
