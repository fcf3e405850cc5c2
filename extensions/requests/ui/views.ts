// Keeps named views of requests in this browser. A view is the query of an address, so its address can be shared without it.

import { createStore } from '../../../ui/lib/page/store.ts';
import type { Store } from '../../../ui/lib/page/store.ts';
import type { Query } from './filters.ts';

export type View = Readonly<{ name: string; query: string }>;

const key = 'gw-request-views';

/** Saving another one removes the oldest. */
export const viewsMax = 50;

/** Newest first. */
export const views: Store<readonly View[]> = createStore(readViews(stored()));
views.subscribe((all) => {
  try {
    localStorage.setItem(key, JSON.stringify(all));
  } catch {
    // Without storage views last until the page is left.
  }
});

function stored(): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** Leaves out what another program stored. */
export function readViews(text: string): readonly View[] {
  try {
    const read: unknown = JSON.parse(text);
    return Array.isArray(read) ? read.filter(isView).slice(0, viewsMax) : [];
  } catch {
    return [];
  }
}

/** Hoisted, because the stored views are read when this file is loaded. */
function isView(one: unknown): one is View {
  if (typeof one !== 'object' || one === null) return false;
  return (
    typeof Reflect.get(one, 'name') === 'string' && typeof Reflect.get(one, 'query') === 'string'
  );
}

/** Replaces a view of the same name. */
export const withView = (all: readonly View[], view: View): readonly View[] =>
  [view, ...all.filter(({ name }) => name !== view.name)].slice(0, viewsMax);

export const withoutView = (all: readonly View[], gone: string): readonly View[] =>
  all.filter(({ name }) => name !== gone);

/** The part of an address that a view keeps, in canonical order. */
export function viewOf({ paused: _paused, as_of: _asOf, ...query }: Query): string {
  const sorted = Object.entries(query).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return new URLSearchParams(sorted).toString();
}
