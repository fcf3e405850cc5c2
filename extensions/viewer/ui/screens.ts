// Stands for the list of screens where a page shows an export: of those of configuration it has one for all, and no other.

import { kindNames, placeOfStream } from '../../../ui/lib/history/history.ts';

/** Which kind of entity a screen of the management UI shows. */
const kindOfScreen: ReadonlyMap<string, string> = new Map([
  ['limits', 'principal'],
  ...kindNames.flatMap((kind) => {
    const place = placeOfStream(`${kind}-1`);
    return place === null || place.rest.length > 1 ? [] : [[place.screen, kind] as const];
  }),
]);

type Screen = Readonly<{ name: string }>;

/** Undefined where nothing of it is in an export. */
export const screenNamed = (name: string): Screen | undefined =>
  kindOfScreen.has(name) || name === 'history' ? { name } : undefined;

type Shown = Readonly<{ kind: string | null; id: number | null }>;

/** What a place of the management UI shows of the configuration. */
export function shownAt(screen: string, rest: readonly string[]): Shown {
  const [first = '', second = ''] = rest;
  const isPool = screen === 'frontend-models' && first === 'pools';
  const kind = isPool ? 'pool' : (kindOfScreen.get(screen) ?? null);
  const id = isPool ? second : first;
  return { kind, id: /^[1-9]\d*$/.test(id) ? Number(id) : null };
}
