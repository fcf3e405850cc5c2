// Builds the page of the command line: every command with its options and examples.

import { commandLine } from '../../src/cli/main.ts';
import { exitCodes } from '../../src/cli/printing/exit-codes.ts';
import { settingsTable } from '../../src/cli/settings/settings-table.ts';
import { code, generated, page, table } from './markdown.ts';

type Definition = ReturnType<ReturnType<typeof commandLine>['definitions']>[number];

export function commandsPage(): string {
  const definitions = commandLine(false)
    .definitions()
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return page([
    '# Commands',
    generated,
    [
      `Exit codes: ${Object.entries(exitCodes)
        .map(([name, value]) => `${value} ${words(name)}`)
        .join(', ')}.`,
      'The options of `gw` itself are in [settings.md](settings.md).',
    ].join('\n'),
    ...definitions.flatMap(commandParts),
  ]);
}

function commandParts(definition: Definition): readonly string[] {
  const { path, usage, description, details, examples, options } = definition;
  const own = options.filter(({ definition: name }) => !isServingSetting(path, name));
  return [
    `## ${path}`,
    ...(usage === path ? [] : [code(usage)]),
    ...[description, details].map((text) => sentence(text ?? '')).filter((text) => text !== ''),
    ...(examples ?? []).map(([what, command]) => `${what.trim()}: ${code(command.trim())}`),
    ...(own.length === 0 ? [] : [optionsTable(own)]),
  ];
}

/** Settings of the serving command have their own page. */
const serving: ReadonlySet<string> = new Set(
  Object.values(settingsTable).flatMap(({ flag }) => flag?.split(',') ?? []),
);
const isServingSetting = (path: string, definition: string): boolean =>
  path === 'gw' && definition.split(/[ ,]/).some((name) => serving.has(name));

const optionsTable = (options: Definition['options']): string =>
  table(
    ['option', 'meaning'],
    options.map(({ definition, description = '' }) => [
      code(definition.replace('#0', '<value>')),
      description.trim(),
    ]),
  );

/** `notFound` reads "not found". */
const words = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Joins the lines of a help text into one paragraph. */
function sentence(text: string): string {
  const joined = text.replaceAll(/\s+/g, ' ').trim();
  const stop = /[.:]$/.test(joined) ? '' : '.';
  return joined === '' ? '' : joined.charAt(0).toUpperCase() + joined.slice(1) + stop;
}
