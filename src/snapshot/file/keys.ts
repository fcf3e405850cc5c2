// Reads the keys of a configuration file and their principals. Only the digest of a key is kept.

import { hash } from 'node:crypto';

import type { BudgetCalendar, BudgetWindow, PrincipalKind } from '../../lib/vocabulary.ts';
import type { ConfigFile, RawKey, ServiceBlock } from './format.ts';
import type { Issue, Notes, Path, ReadOptions, Source } from './source.ts';

/** A null dimension is unlimited. */
export type FileLimits = Readonly<{
  requestsPerMin: number | null;
  tokensPerMin: number | null;
}>;

export type FileBudget = Readonly<{
  tokensTotal: number | null;
  costTotalMicros: number | null;
  window: BudgetWindow;
  calendar: BudgetCalendar | null;
  /** Used by an import. A gateway that reads the file sends no notifications. */
  alertAtPercent: readonly number[] | null;
  /** The spend at the start. */
  tokensUsed: number;
}>;

/** `verifier` is the SHA-256 of the key in hex. Lists show `prefix`. */
export type StoredKey = Readonly<{
  name: string;
  verifier: string;
  prefix: string;
  expiresAt: string | null;
}>;

/** A key with its own grants. Its principal has the key's name. */
export type FileKey = StoredKey &
  Readonly<{
    models: readonly string[];
    limits: FileLimits | null;
    budget: FileBudget | null;
  }>;

export type FilePrincipal = Readonly<{
  name: string;
  kind: PrincipalKind;
  roles: readonly string[];
  limits: FileLimits | null;
  budget: FileBudget | null;
  keys: readonly StoredKey[];
}>;

/** Null if the file requires no key. A master key opens every model. */
export function readKeys(
  { general_settings: general, auth, gw, fastllm }: ConfigFile,
  options: Notes & ReadOptions,
): readonly FileKey[] | null {
  const { source, errors, warnings } = options;
  const master = general?.master_key ?? options.masterKey ?? '';
  const hasPrincipals = (gw ?? fastllm)?.principals.length ?? 0;
  if (auth === undefined && master === '' && hasPrincipals === 0) return null;
  if (general?.master_key) {
    const at = ['general_settings', 'master_key'];
    warnings.push(source.issue(at, 'is deprecated; give each client a key of its own'));
  }
  const keys = (auth?.keys ?? []).flatMap((raw, index) => {
    const at = ['auth', 'keys', index];
    const wrong = (field: string, message: string): void =>
      void errors.push(source.issue([...at, field], message));
    for (const field of Object.keys(raw)) {
      if (!keyFields.has(field))
        warnings.push(source.issue([...at, field], 'is ignored: gw has no such setting'));
    }
    const stored = storedKey(raw, wrong);
    return stored === null ? [] : [{ ...stored, ...rightsOf(raw) }];
  });
  const none = { expiresAt: null, limits: null, budget: null };
  const masterKeys: FileKey[] =
    master === '' ? [] : [{ ...digested(master), ...none, name: 'master_key', models: ['*'] }];
  const all = [...keys, ...masterKeys];
  refuseTwice(all, { ...options, at: ['auth', 'keys'] });
  return all;
}

const keyFields: ReadonlySet<string> = new Set([
  'key',
  'key_sha256',
  'prefix',
  'name',
  'expires_at',
  'models',
  'limits',
  'budget',
]);

type Wrong = (field: string, message: string) => void;

function storedKey(
  raw: Pick<RawKey, 'key' | 'key_sha256' | 'prefix' | 'name' | 'expires_at'>,
  wrong: Wrong,
): StoredKey | null {
  const { key, key_sha256: verifier } = raw;
  if ((key ?? null) !== null && (verifier ?? null) !== null) {
    wrong('key_sha256', 'cannot be combined with key');
    return null;
  }
  const digest = key ? digested(key) : verifier ? { verifier, prefix: hiddenPrefix } : null;
  if (digest === null) {
    wrong('key', 'is required');
    return null;
  }
  return {
    ...digest,
    ...(raw.prefix ? { prefix: raw.prefix } : {}),
    // Does not depend on the key's position in the file.
    name: raw.name ?? `key-${digest.verifier.slice(0, 8)}`,
    expiresAt: raw.expires_at ?? null,
  };
}

/**
 * Warns of keys that grant the name of no model, pool or frontend model, most likely misspelled.
 * Patterns may match later.
 */
export const unknownGrants = (
  { issue }: Pick<Source, 'issue'>,
  keys: readonly FileKey[] | null,
  isKnown: (name: string) => boolean,
): readonly Issue[] =>
  (keys ?? []).flatMap(({ models }, index) =>
    models.flatMap((name, at) =>
      name.endsWith('*') || isKnown(name)
        ? []
        : issue(
            ['auth', 'keys', index, 'models', at],
            `grants ${name}, but no model, pool or frontend model has this name`,
          ),
    ),
  );

const prefixLength = 12;
/** The prefix would reveal too much of a shorter key. */
const keyLengthMin = 24;
const hiddenPrefix = '(hidden)';

const digested = (key: string): Pick<StoredKey, 'verifier' | 'prefix'> => ({
  verifier: hash('sha256', key),
  prefix: key.length < keyLengthMin ? hiddenPrefix : key.slice(0, prefixLength),
});

const rightsOf = (raw: RawKey) => ({
  models: raw.models ?? [],
  limits: limitsOf(raw.limits),
  budget: budgetOf(raw.budget),
});

const limitsOf = (raw: RawKey['limits']): FileLimits | null =>
  raw === null || raw === undefined
    ? null
    : {
        requestsPerMin: raw.requests_per_min ?? null,
        tokensPerMin: raw.tokens_per_min ?? null,
      };

const budgetOf = (raw: RawKey['budget']): FileBudget | null =>
  raw === null || raw === undefined
    ? null
    : {
        tokensTotal: raw.tokens_total ?? null,
        costTotalMicros: raw.cost_total_micros ?? null,
        window: raw.window,
        calendar: raw.calendar,
        alertAtPercent: raw.alert_at_percent,
        tokensUsed: raw.tokens_used,
      };

/** Two keys with one name would share a principal, and thereby their grants. */
function refuseTwice(
  keys: readonly StoredKey[],
  { source, errors, at }: Notes & Readonly<{ at: Path }>,
): void {
  const names = new Set<string>();
  const verifiers = new Set<string>();
  for (const [index, { name, verifier }] of keys.entries()) {
    const wrong = (field: string, message: string): void =>
      void errors.push(source.issue([...at, index, field], message));
    if (names.has(name)) wrong('name', `${name} is used twice`);
    if (verifiers.has(verifier)) wrong('key', 'is the key of another entry too');
    names.add(name);
    verifiers.add(verifier);
  }
}

export function readPrincipals(
  given: ServiceBlock['principals'],
  { source, errors, at }: Notes & Readonly<{ at: Path }>,
): readonly FilePrincipal[] {
  return given.map((raw, index) => ({
    name: raw.name,
    kind: raw.kind,
    roles: raw.roles,
    limits: limitsOf(raw.limits),
    budget: budgetOf(raw.budget),
    keys: raw.keys.flatMap((key, place) => {
      const wrong: Wrong = (field, message) =>
        void errors.push(source.issue([...at, index, 'keys', place, field], message));
      return storedKey(key, wrong) ?? [];
    }),
  }));
}
