// Replaces the list of screens in the viewer, which has one section for all configuration.

import { kindNames, placeOfStream } from '../../../ui/lib/history/history.ts';

/** By screen of the management UI. */
const kindOfScreen: ReadonlyMap<string, string> = new Map([
  ['limits', 'principal'],
  ...kindNames.flatMap((kind) => {
    const place = placeOfStream(`${kind}-1`);
    return place === null || place.rest.length > 1 ? [] : [[place.screen, kind] as const];
  }),
]);

type Screen = Readonly<{ name: string }>;

/** Undefined if an export contains nothing for the screen. */
export const screenNamed = (name: string): Screen | undefined =>
  kindOfScreen.has(name) || name === 'history' ? { name } : undefined;

type Shown = Readonly<{ kind: string | null; id: number | null }>;

export function shownAt(screen: string, rest: readonly string[]): Shown {
  const [first = '', second = ''] = rest;
  const isPool = screen === 'frontend-models' && first === 'pools';
  const kind = isPool ? 'pool' : (kindOfScreen.get(screen) ?? null);
  const id = isPool ? second : first;
  return { kind, id: /^[1-9]\d*$/.test(id) ? Number(id) : null };
}
