// What the audit log says of a command, read for people: where its target is shown, and since when rows are wanted.

import { edgesOf, readRange } from './range.ts';

type Target = Readonly<{ screen: string; rest: readonly string[] }>;

/** Which screen shows what lies below a path of the API. */
const screens: Readonly<Record<string, string>> = {
  providers: 'providers',
  'provider-models': 'models',
  models: 'models',
  'frontend-models': 'frontend-models',
  'prompt-classes': 'prompt-classes',
  'mcp-servers': 'mcp-servers',
  'a2a-agents': 'agents',
  keys: 'keys',
  principals: 'principals',
  roles: 'roles',
  deployment: 'deployment',
};

/** `/admin/providers/7/…` is provider 7; null for what no screen shows. */
export function placeOfTarget(target: string): Target | null {
  const [, noun = '', id] = /^\/admin\/([\w-]+)(?:\/(\d+))?(?:\/|$)/.exec(target) ?? [];
  const screen = screens[noun];
  if (screen === undefined) return null;
  return { screen, rest: id === undefined ? [] : [id] };
}

export type AuditQuery = Readonly<{ actor_id?: number; target?: string; since?: string }>;

/** What the address asks for, as the server takes it; what cannot be read is left out. */
export function auditQueryOf(query: Readonly<Record<string, string>>, now: number): AuditQuery {
  const actor = Number(query['actor']);
  const target = query['target'] ?? '';
  const range = readRange(query['since'] ?? '');
  return {
    ...(Number.isSafeInteger(actor) && actor > 0 ? { actor_id: actor } : {}),
    ...(target === '' ? {} : { target }),
    ...(range === null ? {} : { since: new Date(edgesOf(range, now).since).toISOString() }),
  };
}

/** One row a line, the oldest first, so that it can be read as it happened. Newest first goes in. */
export const toNdjson = (rows: readonly object[]): string =>
  rows
    .toReversed()
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('');
