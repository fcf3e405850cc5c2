// The current place and navigation by links and calls, with the history of the browser.

import { createStore } from '../lib/page/store.ts';
import type { Store } from '../lib/page/store.ts';
import { readPlace, withQuery, writePlace } from '../lib/page/place.ts';
import type { Place } from '../lib/page/place.ts';
import { isOneFile, uiBase } from './base.ts';
import { isEdited, leave } from './edits.ts';

const here = (): Place => readPlace(new URL(globalThis.location.href), uiBase);

export const place: Store<Place> = createStore(
  'location' in globalThis ? here() : { screen: 'overview', rest: [], query: {} },
);

/** Stored in the address. */
export const isPaused = (): boolean => place.get().query['paused'] === '1';

type Target = Readonly<{
  screen: string;
  rest?: readonly (string | number)[];
  query?: Readonly<Record<string, string>>;
}>;

/** Keeps a past version unless the target sets another. */
export function linkTo({ screen, rest = [], query = {} }: Target): string {
  const { as_of: moment } = place.get().query;
  const kept = moment === undefined ? query : { as_of: moment, ...query };
  return writePlace({ screen, rest: rest.map(String), query: kept }, uiBase);
}

export const navigate = (target: Target): void => go(new URL(linkTo(target), location.href));

/** Leaving a form with unsaved input asks first; changing only the view does not. */
function go(url: URL): void {
  const push = (): void => {
    history.pushState(null, '', url);
    place.set(here());
  };
  if (isSameForm(readPlace(url, uiBase))) push();
  else leave(push);
}

const isSameForm = (to: Place): boolean => {
  const from = place.get();
  return (
    to.screen === from.screen &&
    to.rest.join('/') === from.rest.join('/') &&
    to.query['as_of'] === from.query['as_of']
  );
};

/** Makes no entry in the browser history. */
export function changeQuery(change: Readonly<Record<string, string | null>>): void {
  const to = withQuery(place.get(), change);
  const replace = (): void => {
    history.replaceState(history.state, '', writePlace(to, uiBase));
    place.set(here());
  };
  if (isSameForm(to)) replace();
  else leave(replace);
}

/** Opens or closes a record of the screen and keeps the view. */
export function openRest(rest: readonly (string | number)[]): void {
  const { screen, query } = place.get();
  navigate({ screen, rest, query });
}

/** Makes no entry in the browser history. */
export function replaceRest(rest: readonly string[]): void {
  const { screen, query } = place.get();
  history.replaceState(history.state, '', writePlace({ screen, rest, query }, uiBase));
  place.set(here());
}

/** Follows links without a page load, except with a modifier key or to other sites. */
export function followLinks(): void {
  addEventListener('popstate', comeBack);
  addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const anchor = event
      .composedPath()
      .find((target): target is HTMLAnchorElement => target instanceof HTMLAnchorElement);
    if (anchor === undefined || anchor.target !== '' || anchor.hasAttribute('download')) return;
    const url = new URL(anchor.href);
    if (!isOwn(url)) return;
    event.preventDefault();
    if (url.href === globalThis.location.href) return;
    go(url);
  });
}

function isOwn(url: URL): boolean {
  const { origin, href } = globalThis.location;
  if (isOneFile) return url.hash.startsWith(uiBase) && fileOf(url.href) === fileOf(href);
  return url.origin === origin && url.pathname.startsWith(uiBase);
}

const fileOf = (href: string): string | undefined => href.split('#')[0];

/** The browser has already gone back: go forward again until the user discards the input. */
function comeBack(): void {
  const to = here();
  if (!isEdited() || isSameForm(to)) {
    place.set(to);
    return;
  }
  history.pushState(null, '', writePlace(place.get(), uiBase));
  leave(() => navigate(to));
}
