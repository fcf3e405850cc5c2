// Words the error for unknown commands and wrong arguments.

import type { Cli, Definition } from 'clipanion';

import { commandName } from './help.ts';
import { nearest } from './nearest.ts';

/** Two lines: the problem, and the help to read. */
export function usageError(
  cli: Pick<Cli, 'definitions'>,
  argv: readonly string[],
  error: unknown,
): string {
  const definitions = cli.definitions();
  // Cuts off clipanion's list of usages.
  const [firstLine = ''] = error instanceof Error ? error.message.split('\n', 1) : [];
  const problem = firstLine
    .replace(/; did you mean(?: one of)?:?$/, '')
    .replace(/[.:]$/, '')
    .replace(/^./, (letter) => letter.toLowerCase());
  const words = leadingWords(argv);
  const command = commandNamed(definitions, words);
  if (command === undefined) {
    const names = definitions.map(commandName);
    return `gw: ${wrongCommand(problem, words, names)}\ngw --help lists the commands\n`;
  }
  const name = commandName(command);
  const help = name === 'serve' ? 'gw --help lists the commands' : `gw ${name} --help says more`;
  return `gw: ${wrongArguments(command, argv, problem)}\n${help}\n`;
}

function leadingWords(argv: readonly string[]): readonly string[] {
  const first = argv.findIndex((argument) => argument.startsWith('-'));
  return first === -1 ? argv : argv.slice(0, first);
}

/** No words mean the serve command. Undefined if no command starts with the words. */
function commandNamed(
  definitions: readonly Definition[],
  words: readonly string[],
): Definition | undefined {
  const typed = words.length === 0 ? 'serve' : words.join(' ');
  return definitions.find((one) => `${typed} `.startsWith(`${commandName(one)} `));
}

function wrongCommand(problem: string, words: readonly string[], names: readonly string[]): string {
  const near = nearestCommand(words, names);
  const hint = near === null ? '' : `; did you mean ${near}?`;
  const isUnknown = /^(?:command not found|extraneous)/.test(problem);
  return `${isUnknown ? `there is no command ${JSON.stringify(words.join(' '))}` : problem}${hint}`;
}

function wrongArguments(command: Definition, argv: readonly string[], problem: string): string {
  const name = commandName(command);
  const wrongFlag = /option name \("(-[^"]*)"\)/.exec(problem)?.[1];
  if (wrongFlag !== undefined) {
    const near = nearestWithin(wrongFlag, command.options.flatMap(flagsOf));
    return near === null ? problem : `${problem}; did you mean ${near}?`;
  }
  if (/^(?:not enough|extraneous) positional/.test(problem))
    return `${problem}; usage: ${command.usage}`;
  if (!problem.startsWith('command not found')) return problem;
  const last = argv.at(-1);
  const unfinished = command.options.find(
    (option) => takesValue(option) && flagsOf(option).includes(last ?? ''),
  );
  if (unfinished !== undefined) return `${last} needs a value`;
  const negative = argv.findIndex(
    (argument, at) =>
      /^-\d/.test(argument) &&
      command.options.some(
        (option) => takesValue(option) && flagsOf(option).includes(argv[at - 1] ?? ''),
      ),
  );
  if (negative !== -1) return `${argv[negative - 1]} cannot be negative, was ${argv[negative]}`;
  const missing = command.options
    .filter((option) => option.required && !flagsOf(option).some((flag) => isGiven(argv, flag)))
    .map((option) => flagsOf(option).at(-1));
  return missing.length === 0
    ? `${problem}; usage: ${command.usage}`
    : `${name} needs ${missing.join(', ')}`;
}

type DefinedOption = Definition['options'][number];

const flagsOf = ({ definition }: DefinedOption): readonly string[] =>
  definition.replace(/ .*/, '').split(',');

const takesValue = ({ definition }: DefinedOption): boolean => definition.includes('#0');

const isGiven = (argv: readonly string[], flag: string): boolean =>
  argv.some((argument) => argument === flag || argument.startsWith(`${flag}=`));

/** A prefix suggests its command. Otherwise all words are compared, then the first word alone. */
function nearestCommand(words: readonly string[], names: readonly string[]): string | null {
  const typed = words.join(' ');
  return (
    names.find((name) => name.startsWith(`${typed} `)) ??
    nearestWithin(typed, names) ??
    nearestWithin(words[0] ?? '', names)
  );
}

const misspeltDistanceMax = 3;

/** Ignores names that differ in half of their letters. */
const nearestWithin = (word: string, known: readonly string[]): string | null =>
  nearest(word, known, {
    distanceMax: Math.min(misspeltDistanceMax, Math.ceil(word.length / 2) - 1),
  });
