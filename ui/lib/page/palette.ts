// What the palette offers besides screens and entities: what one can begin from anywhere, and the moments and records that a number
// may stand for.

import { nouns, rankedNouns } from '../../../events/nouns.ts';
import { ranked } from '../text/match.ts';

type Target = Readonly<{
  screen: string;
  rest: readonly string[];
  query?: Readonly<Record<string, string>>;
}>;

export type Action = Readonly<{
  name: string;
  /** Said besides, and found by. */
  about: string;
  /** Needed for it; null is none. */
  permission: string | null;
  target: Target;
}>;

/** What is done where one is, without going anywhere. */
export type Deed =
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

type Offered = Readonly<{ name: string; about: string; deed: Deed }>;

const deeds: readonly Offered[] = [
  { name: 'Copy link to this page', about: 'address url share permalink', deed: 'copy-link' },
  { name: 'Show the configuration as of…', about: 'past version time history', deed: 'as-of' },
  { name: 'Back to now', about: 'leave the past as of', deed: 'now' },
  { name: 'Theme: light', about: 'appearance colours', deed: 'theme-light' },
  { name: 'Theme: dark', about: 'appearance colours', deed: 'theme-dark' },
  { name: 'Theme: as the system', about: 'appearance colours auto', deed: 'theme-system' },
  { name: 'Times in UTC', about: 'time zone', deed: 'zone-utc' },
  { name: 'Times in local time', about: 'time zone', deed: 'zone-local' },
  { name: 'Show the last notices', about: 'undo toasts messages said', deed: 'notices' },
  { name: 'Show the keys', about: 'keyboard shortcuts help', deed: 'keys' },
];

type Stands = Readonly<{ theme: string; zone: string; isPast: boolean }>;

/** Those that change something, as things stand. */
export const deedsFor = ({ theme, zone, isPast }: Stands): readonly Offered[] =>
  deeds.filter(
    ({ deed }) =>
      deed !== `theme-${theme}` && deed !== `zone-${zone}` && (deed !== 'now' || isPast),
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
    about: 'of models with public lists',
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
    name: 'Set the fallback model',
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

/** `1482` or `v1482`, and what may stand before it. */
const numbered = /^(?:(?:go to|restore|version|as of|event|position|#)\s*)*v?(\d{1,15})$/i;

function ofNumber(number: string): readonly Action[] {
  return [
    {
      name: `Go to version ${number}`,
      about: 'the configuration as it was',
      permission: null,
      target: { screen: 'frontend-models', rest: [], query: { as_of: number } },
    },
    {
      name: `Restore version ${number}`,
      about: 'looked at first',
      permission: 'config:write',
      target: { screen: 'history', rest: ['restore', number] },
    },
    {
      name: `See event ${number}`,
      about: 'of the log',
      permission: null,
      target: { screen: 'history', rest: ['events', number] },
    },
  ];
}

/** Of those that the person may do, on screens that there are. What a typed number stands for comes first. */
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

/** How a group of entries is headed, and how long it may be before it says how many more there are. */
export type Group<Entry> = Readonly<{ heading: string; entries: readonly Entry[]; more: number }>;

const ownMax = 6;
const kindMax = 3;

type Listed = Readonly<{ kind: string; text: string }>;

/** Entities come last: with thousands of them, one whose name begins with what was typed would hide the screen of that name. */
const leading: readonly string[] = ['Screen', 'Action'];

/**
 * The entries that match, by kind: screens and actions first, then a few of each kind of entity. Entities are found only by what was
 * typed.
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
