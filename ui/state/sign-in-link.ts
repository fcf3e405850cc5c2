// The sign-in link of gw dev carries its token behind the hash, which browsers send to no server. It is taken out of the address before
// anything else is asked for, so that it stays neither in the history nor in a link that is copied.

/** Null when the address holds none. */
export function takeLinkToken(): string | null {
  const { hash, pathname, search } = globalThis.location;
  const [, token] = /^#sign-in=([\w-]+)$/.exec(hash) ?? [];
  if (token === undefined) return null;
  history.replaceState(history.state, '', pathname + search);
  return token;
}
