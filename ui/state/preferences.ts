// What a person chose for this browser: the theme and the time zone. Kept in it, and nowhere else.

import type { Zone } from '../lib/text/format.ts';
import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';

export type Theme = 'light' | 'dark' | 'system';

const themes: readonly Theme[] = ['system', 'light', 'dark'];
const zones: readonly Zone[] = ['utc', 'local'];

export const theme: Store<Theme> = kept('gw-theme', themes);
export const zone: Store<Zone> = kept('gw-zone', zones);
/** Of the axes of charts whose values span orders of magnitude, such as latency. */
export const axisScale = kept<'linear' | 'log'>('gw-axis-scale', ['linear', 'log']);
/** Off for people who dictate or press keys by mistake (WCAG 2.1.4). */
export const singleKeys = kept<'on' | 'off'>('gw-single-keys', ['on', 'off']);

/** The first value stands when none is kept, or the browser keeps nothing. */
function kept<Value extends string>(name: string, values: readonly Value[]): Store<Value> {
  const [standard] = values;
  if (standard === undefined) throw new Error(`no values for ${name}`);
  const stored = readKept(name);
  const store = createStore(values.find((value) => value === stored) ?? standard);
  store.subscribe((value) => writeKept(name, value));
  return store;
}

function readKept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function writeKept(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // A browser that keeps nothing still shows what was chosen, until the page is left.
  }
}

/** Puts the theme on the page, now and when it or the system's changes. */
export function applyTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    const chosen = theme.get();
    const shown = chosen === 'system' ? (dark.matches ? 'dark' : 'light') : chosen;
    document.documentElement.dataset['theme'] = shown;
  };
  theme.subscribe(apply);
  dark.addEventListener('change', apply);
  apply();
}
