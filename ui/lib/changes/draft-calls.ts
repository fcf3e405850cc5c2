// Reads the calls of a save that can be drafted, previewed or made together.

import { draftablePaths } from '../../../events/nouns.ts';

/** A call in a change request or a preview. */
export type DraftCall = Readonly<{
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
}>;

const isDraftable = (path: string): boolean =>
  path === '/admin/prices/sync' ||
  /^\/admin\/snapshots\/[^/]+\/restore$/.test(path) ||
  draftablePaths.includes(/^\/admin\/([^/]+)/.exec(path)?.[1] ?? '');

const isCall = (value: unknown): value is DraftCall =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;

/** The calls of a request; null if they cannot be part of a change request. */
export function draftCallsOf(
  request: Readonly<{ method: string; path: string; body: unknown }>,
): readonly DraftCall[] | null {
  const { path, body } = request;
  if (path === '/admin/change-sets/apply') {
    const calls: unknown = Reflect.get(Object(body), 'calls');
    return Array.isArray(calls) && calls.every(isCall) ? calls : null;
  }
  const isRevocation = request.method === 'DELETE' && path.startsWith('/admin/keys/');
  if (path.includes('?') || !(isDraftable(path) || isRevocation)) return null;
  if (!isChange(request)) return null;
  return [{ method: request.method, path, ...(body === undefined ? {} : { body }) }];
}

const isChange = (request: Readonly<{ method: string }>): request is Pick<DraftCall, 'method'> =>
  ['POST', 'PUT', 'PATCH', 'DELETE'].includes(request.method);
