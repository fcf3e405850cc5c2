// The place that is shown, and the ways to another: links anywhere in the page, and calls. History is the browser's.

import { createStore } from '../lib/store.ts';
import type { Store } from '../lib/store.ts';
import { readPlace, withQuery, writePlace } from '../lib/place.ts';
import type { Place } from '../lib/place.ts';
import { uiBase } from './base.ts';

const here = (): Place => readPlace(new URL(globalThis.location.href), uiBase);

export const place: Store<Place> = createStore(
  'location' in globalThis ? here() : { screen: 'overview', rest: [], query: {} },
);

type Target = Readonly<{
  screen: string;
  rest?: readonly (string | number)[];
  query?: Readonly<Record<string, string>>;
}>;

/** The address of a place, for a link. */
export const linkTo = ({ screen, rest = [], query = {} }: Target): string =>
  writePlace({ screen, rest: rest.map(String), query }, uiBase);

export function navigate(target: Target): void {
  history.pushState(null, '', linkTo(target));
  place.set(here());
}

/** Changes the view in its place: a filter or a sort is no step to come back to. */
export function changeQuery(change: Readonly<Record<string, string | null>>): void {
  history.replaceState(history.state, '', writePlace(withQuery(place.get(), change), uiBase));
  place.set(here());
}

/** Opens or closes what stands behind the screen's name, and keeps the view. */
export function openRest(rest: readonly (string | number)[]): void {
  const { screen, query } = place.get();
  navigate({ screen, rest, query });
}

/** Links are followed without loading the page anew; with a modifier, or to elsewhere, they are the browser's. */
export function followLinks(): void {
  addEventListener('popstate', () => place.set(here()));
  addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const anchor = event
      .composedPath()
      .find((target): target is HTMLAnchorElement => target instanceof HTMLAnchorElement);
    if (anchor === undefined || anchor.target !== '' || anchor.hasAttribute('download')) return;
    const url = new URL(anchor.href);
    if (url.origin !== globalThis.location.origin || !url.pathname.startsWith(uiBase)) return;
    event.preventDefault();
    if (url.href === globalThis.location.href) return;
    history.pushState(null, '', url);
    place.set(here());
  });
}
