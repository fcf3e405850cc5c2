// Edits the calls of a change request. The server does not return secrets, so the author enters
// them again.

import type { DraftCall } from '../../../ui/lib/changes/draft-calls.ts';
import { wrong } from '../../../ui/lib/saves/draft.ts';
import type { Wrong } from '../../../ui/lib/saves/draft.ts';

export const callMethods = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

type Method = (typeof callMethods)[number];

export type CallDraft = Readonly<{
  method: Method;
  path: string;
  /** JSON; empty for no body. */
  body: string;
  /** For example `upstream_api_key`. */
  secrets: readonly string[];
}>;

type ShownCall = Readonly<{
  method: string;
  path: string;
  body?: unknown;
  secrets?: readonly string[];
}>;

export const newCall: CallDraft = { method: 'PATCH', path: '/admin/', body: '', secrets: [] };

export const readMethod = (text: string): Method =>
  callMethods.find((method) => method === text) ?? 'PATCH';

export const callDrafts = (calls: readonly ShownCall[]): readonly CallDraft[] =>
  calls.map(({ method, path, body = null, secrets = [] }) => ({
    method: readMethod(method),
    path,
    body: body === null ? '' : JSON.stringify(without(body, secrets), null, 2),
    secrets,
  }));

function without(body: unknown, secrets: readonly string[]): unknown {
  const copy: unknown = structuredClone(body);
  for (const place of secrets) {
    const names = place.split('.');
    const last = names.pop() ?? '';
    Reflect.set(Object(memberAt(copy, names)), last, '');
  }
  return copy;
}

const memberAt = (value: unknown, names: readonly string[]): unknown =>
  names.reduce((inner: unknown, name) => Reflect.get(Object(inner), name), value);

/** The first invalid call is named by its index, like the server does. */
export function readCalls(
  drafts: readonly CallDraft[],
): Readonly<{ calls: readonly DraftCall[] }> | Wrong {
  if (drafts.length === 0) return wrong('calls', 'a change request needs at least one call');
  const calls: DraftCall[] = [];
  for (const [index, draft] of drafts.entries()) {
    const read = readCall(draft, `calls.${index}`);
    if ('wrong' in read) return read;
    calls.push(read);
  }
  return { calls };
}

function readCall({ method, path, body, secrets }: CallDraft, place: string): DraftCall | Wrong {
  if (!path.trim().startsWith('/admin/')) {
    return wrong(`${place}.path`, 'must be a path of the admin API, such as /admin/models/7');
  }
  const call = { method, path: path.trim() };
  if (body.trim() === '') return call;
  const value = readJson(body);
  if (value === undefined) return wrong(place, 'must be valid JSON or empty');
  const missing = secrets.find((secret) => memberAt(value, secret.split('.')) === '');
  if (missing !== undefined) return wrong(place, `enter ${missing} again: secrets are not shown`);
  return { ...call, body: value };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const secretNames: ReadonlySet<string> = new Set([
  'password',
  'upstream_api_key',
  'secret',
  'routing_key',
]);

type Fields = Record<string, unknown>;

/** Secrets show only that they are set. */
function callFields(calls: readonly ShownCall[]): Fields {
  const fields: Fields = {};
  for (const [index, { method, path, body }] of calls.entries()) {
    const name = `call ${index + 1}`;
    fields[name] = `${method} ${path}`;
    for (const [member, value] of Object.entries(masked(body))) fields[`${name}.${member}`] = value;
  }
  return fields;
}

const masked = (body: unknown): object =>
  Object(
    JSON.parse(
      JSON.stringify(body ?? {}, (name, value: unknown) =>
        secretNames.has(name) && value !== null ? 'set' : value,
      ),
    ),
  );

type Titled = Readonly<{ title: string | null; calls: readonly ShownCall[] }>;

/** Removed fields are null. */
export function editedFields(
  before: Titled,
  after: Titled,
): Readonly<{ before: Fields; after: Fields }> {
  const was = { title: before.title, ...callFields(before.calls) };
  const is: Fields = { title: after.title, ...callFields(after.calls) };
  for (const name of Object.keys(was)) is[name] ??= null;
  return { before: was, after: is };
}
