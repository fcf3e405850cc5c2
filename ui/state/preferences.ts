// Preferences of this browser, such as theme and time zone, stored only there.

import type { Zone } from '../lib/text/format.ts';
import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';

export type Theme = 'light' | 'dark' | 'system';

const themes: readonly Theme[] = ['system', 'light', 'dark'];
const zones: readonly Zone[] = ['utc', 'local'];

export const theme: Store<Theme> = kept('gw-theme', themes);
export const zone: Store<Zone> = kept('gw-zone', zones);
/** For axes of values that span orders of magnitude, such as latency. */
export const axisScale = kept<'linear' | 'log'>('gw-axis-scale', ['linear', 'log']);
/** Notifications of the operating system while the page is hidden. The browser asks for permission. */
export const outsideNotices = kept<'off' | 'on'>('gw-outside-notices', ['off', 'on']);
/** Can be turned off for people who dictate or press keys by mistake (WCAG 2.1.4). */
export const singleKeys = kept<'on' | 'off'>('gw-single-keys', ['on', 'off']);

/** The first value is the default, also without storage. */
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
    // Without storage the choice lasts until the page is left.
  }
}

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
