// Takes the token of a `gw dev` sign-in link out of the address before any request, so that it stays neither in the history nor in copied
// links. It is in the hash, which browsers never send.

/** Null without a token. */
export function takeLinkToken(): string | null {
  const { hash, pathname, search } = globalThis.location;
  const [, token] = /^#sign-in=([\w-]+)$/.exec(hash) ?? [];
  if (token === undefined) return null;
  history.replaceState(history.state, '', pathname + search);
  return token;
}
