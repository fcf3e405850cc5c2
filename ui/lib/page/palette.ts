// Lists the entries of the command palette besides screens and records: actions, and versions by number.

import { nouns, rankedNouns } from '../../../events/nouns.ts';
import { ranked } from '../text/match.ts';

type Target = Readonly<{
  screen: string;
  rest: readonly string[];
  query?: Readonly<Record<string, string>>;
}>;

export type Action = Readonly<{
  name: string;
  /** More search words. */
  about: string;
  /** Null if no permission is required. */
  permission: string | null;
  target: Target;
}>;

/** They stay on the page. */
export type PageCommand =
  | 'theme-system'
  | 'theme-light'
  | 'theme-dark'
  | 'zone-utc'
  | 'zone-local'
  | 'as-of'
  | 'now'
  | 'copy-link'
  | 'notices'
  | 'keys';

type Offered = Readonly<{ name: string; about: string; pageCommand: PageCommand }>;

const pageCommands: readonly Offered[] = [
  {
    name: 'Copy link to this page',
    about: 'address url share permalink',
    pageCommand: 'copy-link',
  },
  { name: 'View a past version…', about: 'past version time history', pageCommand: 'as-of' },
  { name: 'Back to current', about: 'leave the past as of', pageCommand: 'now' },
  { name: 'Theme: light', about: 'appearance colours', pageCommand: 'theme-light' },
  { name: 'Theme: dark', about: 'appearance colours', pageCommand: 'theme-dark' },
  { name: 'Theme: system', about: 'appearance colours auto', pageCommand: 'theme-system' },
  { name: 'Show times in UTC', about: 'time zone', pageCommand: 'zone-utc' },
  { name: 'Show times in local time', about: 'time zone', pageCommand: 'zone-local' },
  { name: 'Show notifications', about: 'undo toasts messages said', pageCommand: 'notices' },
  { name: 'Show keyboard shortcuts', about: 'keyboard shortcuts help', pageCommand: 'keys' },
];

type Stands = Readonly<{ theme: string; zone: string; isPast: boolean }>;

/** Only actions that change something now. */
export const pageCommandsFor = ({ theme, zone, isPast }: Stands): readonly Offered[] =>
  pageCommands.filter(
    ({ pageCommand }) =>
      pageCommand !== `theme-${theme}` &&
      pageCommand !== `zone-${zone}` &&
      (pageCommand !== 'now' || isPast),
  );

const creations: readonly Action[] = rankedNouns.map((noun) => {
  const { words, creation, screen } = nouns[noun];
  return {
    name: `Create ${words}`,
    about: 'create add new',
    permission: creation,
    target: { screen: screen.name, rest: [...(screen.part === null ? [] : [screen.part]), 'new'] },
  };
});

const standing: readonly Action[] = [
  ...creations,
  {
    name: 'Set a limit or budget',
    about: 'cap create',
    permission: 'config:write',
    target: { screen: 'limits', rest: ['new'] },
  },
  {
    name: 'Sync prices',
    about: 'models public price lists',
    permission: 'config:write',
    target: { screen: 'models', rest: ['prices'] },
  },
  {
    name: 'Send a request',
    about: 'playground chat try',
    permission: 'config:write',
    target: { screen: 'playground', rest: [] },
  },
  {
    name: 'Set global fallback model',
    about: 'change routing chain',
    permission: 'config:write',
    target: { screen: 'frontend-models', rest: ['fallback'] },
  },
  {
    name: 'Compare versions',
    about: 'diff history',
    permission: null,
    target: { screen: 'history', rest: ['diff'] },
  },
  {
    name: 'Restore a version',
    about: 'go back roll back undo history',
    permission: 'config:write',
    target: { screen: 'history', rest: ['versions'] },
  },
];

/** `1482` or `v1482`, with an optional prefix. */
const numbered = /^(?:(?:go to|restore|version|as of|event|position|#)\s*)*v?(\d{1,15})$/i;

function ofNumber(number: string): readonly Action[] {
  return [
    {
      name: `Go to version ${number}`,
      about: 'past configuration',
      permission: null,
      target: { screen: 'frontend-models', rest: [], query: { as_of: number } },
    },
    {
      name: `Restore version ${number}`,
      about: 'preview first',
      permission: 'config:write',
      target: { screen: 'history', rest: ['restore', number] },
    },
    {
      name: `View event ${number}`,
      about: 'event log',
      permission: null,
      target: { screen: 'history', rest: ['events', number] },
    },
  ];
}

/** Actions for a typed number come first. */
export function actionsFor(
  typed: string,
  {
    may,
    has,
  }: Readonly<{ may: (permission: string) => boolean; has: (screen: string) => boolean }>,
): Readonly<{ numbered: readonly Action[]; standing: readonly Action[] }> {
  const isOffered = ({ permission, target }: Action): boolean =>
    (permission === null || may(permission)) && has(target.screen);
  const [, number] = numbered.exec(typed.trim()) ?? [];
  return {
    numbered: number === undefined ? [] : ofNumber(number).filter(isOffered),
    standing: standing.filter(isOffered),
  };
}

export type Group<Entry> = Readonly<{ heading: string; entries: readonly Entry[]; more: number }>;

const ownMax = 6;
const kindMax = 3;

type Listed = Readonly<{ kind: string; text: string }>;

/** Records come last: with thousands of them, a record would hide the screen of the same name. */
const leading: readonly string[] = ['Screen', 'Action'];

/**
 * By kind: screens and actions first, then some records of each kind. Records need a typed text.
 */
export function groupsOf<Entry extends Listed>(
  entries: readonly Entry[],
  typed: string,
): readonly Group<Entry>[] {
  const found = ranked(entries, typed, ({ text }) => text);
  const kinds = [...new Set([...leading, ...found.map(({ kind }) => kind)])];
  return kinds.flatMap((kind) => {
    const isLeading = leading.includes(kind);
    if (!isLeading && typed.trim() === '') return [];
    const all = found.filter((entry) => entry.kind === kind);
    const shown = all.slice(0, isLeading ? ownMax : kindMax);
    const heading = `${kind}s`;
    return shown.length === 0 ? [] : [{ heading, entries: shown, more: all.length - shown.length }];
  });
}
