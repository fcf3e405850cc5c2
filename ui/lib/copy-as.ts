// The same by a command: what a screen does, as a call of the admin API that a script can make.

type Call = Readonly<{
  origin: string;
  method?: 'POST' | 'PUT';
  path: string;
  body: Readonly<Record<string, unknown>>;
}>;

/** The session's cookie is the reader's own to fill in. */
export const adminCurl = ({ origin, method = 'POST', path, body }: Call): string =>
  [
    `curl -X ${method} ${origin}${path} -b "gw_session=$GW_SESSION"`,
    `-H 'content-type: application/json' -d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`,
  ].join(' ');
