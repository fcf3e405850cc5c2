// Applies request conditions around a route: an Idempotency-Key with a stored response replays it, a
// stale If-Match changes nothing.
//
// The response is stored in the mutation's transaction, so a crash keeps both or neither. Refusals are
// not stored. If two requests with one key run concurrently, the first to acquire the log lock makes
// the change, and both get its response.

import type { Configuration } from '../../control/commands/configuration.ts';
import type { Idempotency, KeyedRequest } from '../../control/commands/idempotency.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { addressedEntity, showsVersion } from './entity.ts';
import { endedFor } from './ended.ts';
import type { Lasting } from './ended.ts';
import type { RawInput } from './input.ts';
import type { Call, Handled, Once, Route, ServedRoute } from './route.ts';

/** Shared by all requests. */
export type Serving = Readonly<{
  config: Configuration;
  idempotency: Idempotency;
}> &
  Lasting;

type Received = Omit<Call, 'entity' | 'once' | 'isForced' | 'ended' | 'config'>;

type Asked = Readonly<{ route: ServedRoute; received: Received; input: RawInput }>;

export async function runRoute(
  serving: Serving,
  { route, received, input }: Asked,
): Promise<Handled<unknown>> {
  const { config, idempotency } = serving;
  const forced = readForce(route, input);
  if (isRefusal(forced)) return forced;
  const { raw, isForced } = forced;
  const entity = addressedEntity({
    path: route.path,
    params: raw.params,
    ifMatch: isMutation(route) ? received.headers['if-match'] : undefined,
    showsVersion: showsVersion(route),
  });
  if (isRefusal(entity)) return entity;
  const keyed = keyedRequest(idempotency, { route, received, input: raw });
  if (isRefusal(keyed)) return keyed;
  const kept = async (): Promise<Handled<unknown> | null> =>
    keyed === null ? null : replay(await idempotency.find(keyed));

  const before = await kept();
  if (before !== null) return before;
  // Checked again under the lock. This early check saves work.
  const unmet = entity.unmet(config.state());
  if (unmet !== null) return unmet;
  const version = route.method === 'GET' ? entity.etag(config.state()) : {};
  const keeping = keyed === null ? null : once(route, idempotency, keyed);
  const ended = endedFor(serving, received);
  const call = { ...received, config, ended, entity, once: keeping, isForced };
  const handled = await route.run(call, raw);
  // The cause may be a concurrent request with the same key, or a connection lost at commit.
  if (isRefusal(handled)) return (await kept()) ?? handled;
  // Identical branches: TypeScript needs both, because only responses with bytes may have lists as
  // headers.
  if ('bytes' in handled) return { ...handled, headers: { ...version, ...handled.headers } };
  if ('stream' in handled) return { ...handled, headers: { ...version, ...handled.headers } };
  const headers = { ...version, ...handled.headers };
  if (route.method !== 'GET') return { ...handled, headers };
  return { ...handled, ...entity.showing(handled.body, headers) };
}

/** Every mutation accepts `force` in its query. */
function readForce(
  route: Route,
  raw: RawInput,
): Readonly<{ raw: RawInput; isForced: boolean }> | Refusal {
  const { query } = raw;
  const isGiven = typeof query === 'object' && query !== null && 'force' in query;
  if (!isGiven || !isMutation(route)) return { raw, isForced: false };
  const { force, ...others } = query;
  if (force !== 'true' && force !== 'false') {
    return refuse('invalid', 'force: must be true or false', { param: 'force' });
  }
  return { raw: { ...raw, query: others }, isForced: force === 'true' };
}

/** True if the route writes configuration. */
export const isMutation = ({ method, permission, asks }: Route): boolean =>
  method !== 'GET' && asks === undefined && permission !== 'open' && permission !== 'proxy_token';

const once = (route: Route, idempotency: Idempotency, keyed: KeyedRequest): Once => ({
  key: keyed.keyDigest.toString('hex'),
  taken: async (tx) => {
    const found = await idempotency.find(keyed, tx);
    return found === null || isRefusal(found) ? found : sameKeyInUse;
  },
  keep: (tx, { status, headers, body }) =>
    idempotency.keep(tx, keyed, {
      status: status ?? route.status ?? 200,
      headers: { ...headers },
      body: JSON.stringify(body),
    }),
});

/** Internal: the client gets the stored response of the other request. */
const sameKeyInUse = refuse(
  'conflict',
  'another request with the same Idempotency-Key was made concurrently',
);

type Kept = Awaited<ReturnType<Idempotency['find']>>;

function replay(found: Kept): Handled<unknown> | null {
  if (found === null || isRefusal(found)) return found;
  const { status, headers, body } = found;
  return {
    status,
    headers: { ...headers, 'content-type': jsonType, 'idempotency-replayed': 'true' },
    bytes: status === 204 ? null : Buffer.from(body),
  };
}

export const jsonType = 'application/json; charset=utf-8';

const header = 'idempotency-key';
const keyLengthMax = 255;

/** Null without a key, for routes that do not mutate, and for callers that are not principals. */
function keyedRequest(
  idempotency: Idempotency,
  { route, received, input: { body } }: Asked,
): KeyedRequest | Refusal | null {
  const { caller, headers, method, path } = received;
  const key = headers[header];
  if (typeof key !== 'string' || !isMutation(route) || !('principalId' in caller)) return null;
  if (key.length < 1 || key.length > keyLengthMax || !/^[\x20-\x7e]+$/.test(key)) {
    const message = `${header}: must be 1 to ${keyLengthMax} printable ASCII characters`;
    return refuse('invalid', message, { param: header });
  }
  const { principalId } = caller;
  // A response may contain a secret that another token of the principal must not replay. The
  // separator cannot occur in a session's key.
  const own = caller.kind === 'admin_token' ? `${caller.tokenId}\0${key}` : key;
  return idempotency.read({ principalId, key: own, method, path, body });
}
