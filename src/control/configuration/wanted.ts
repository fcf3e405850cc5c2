// Converts declarative files to the desired records.

import { withTimes } from '../../conditions/values.ts';
import type { WantedRecord } from '../../deciders/reconcile/records.ts';
import { placeOf } from '../../deciders/reconcile/records.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { completeEndpoint } from '../providers/endpoint.ts';
import type { GivenEndpoint } from '../providers/endpoint.ts';
import { findCatalogueEntry } from '../../snapshot/provider-catalogue.ts';
import { heldCredential, listNames, lists } from './format.ts';
import type { Declared, ListName } from './format.ts';
import { comparable, namesIn } from './held.ts';

type Given = Readonly<Record<string, unknown>>;

export function wantedRecords(
  files: Declared,
  fingerprint: (text: string) => string,
): readonly WantedRecord[] | Refusal {
  const records: WantedRecord[] = [];
  const seen = new Set<string>();
  for (const list of listNames) {
    for (const [at, given] of entriesOf(files, list).entries()) {
      const place = placeOf({ list, at });
      const defaults =
        list === 'providers' ? providerDefaults(files.providers?.[at]) : defaultsOf(list, given);
      if (isRefusal(defaults)) return within(place, defaults);
      const record = wantedRecord({ list, at, given, defaults }, fingerprint);
      const own = `${list} ${record.key}`;
      if (seen.has(own)) {
        return refuse('invalid', `${place}: ${record.name} appears twice`, { param: place });
      }
      seen.add(own);
      records.push(record);
    }
  }
  return records;
}

export const within = (place: string, { param, message, ...refusal }: Refusal): Refusal => ({
  ...refusal,
  message: `${place}: ${message}`,
  param: param === null ? place : `${place}.${param}`,
});

/** Missing settings count as empty, so that removing them from the files clears them. */
const entriesOf = (files: Declared, list: ListName): readonly Given[] =>
  list === 'settings' ? [files.settings ?? {}] : (files[list] ?? []);

const shownField = ([field, value]: readonly [string, unknown]): readonly [string, unknown] =>
  field === 'rules' && Array.isArray(value) ? [field, value.map(withTimes)] : [field, value];

/** Fields without a default: addresses, and what identifies a key. */
const withoutDefault: ReadonlySet<string> = new Set([
  'name',
  'was',
  'api_base',
  'url',
  'key_sha256',
  'principal',
]);

function defaultsOf(list: ListName, given: Given): Given {
  const { schema, defaults, secrets } = lists[list];
  const cleared = Object.keys(schema.shape)
    .filter((field) => !withoutDefault.has(field) && !secrets.includes(field))
    .map((field) => [field, null] as const);
  const hasProvider = list === 'models' && (given['provider'] ?? null) !== null;
  const own = hasProvider ? { upstream_model: given['name'] } : {};
  return { ...Object.fromEntries(cleared), ...defaults, ...own };
}

export type ProviderEntry = NonNullable<Declared['providers']>[number];

/** The defaults from the catalogue or the protocol. */
function providerDefaults(given: ProviderEntry | undefined): Given | Refusal {
  const key = given?.catalogue_key ?? null;
  const entry = key === null ? null : findCatalogueEntry(key);
  const stated = givenEndpoint(given ?? {});
  const elsewhere = entry === null ? { api_base: 'http://localhost' } : {};
  const endpoint = completeEndpoint({ ...elsewhere, ...stated }, entry);
  if (isRefusal(endpoint)) return endpoint;
  const { api_base: _address, ...auth } = endpoint;
  return {
    kind: entry === null ? 'static' : 'cloud',
    catalogue_key: null,
    credential_kind: entry?.credential_kinds[0] ?? 'static',
    ...auth,
    ...(entry === null ? {} : { api_base: endpoint.api_base }),
  };
}
export function givenEndpoint(given: Partial<ProviderEntry>): GivenEndpoint {
  const { api_base, protocol, auth_header, auth_scheme, credential_kind } = given;
  return {
    ...(api_base === undefined ? {} : { api_base }),
    protocol: protocol ?? undefined,
    auth_header: auth_header ?? undefined,
    auth_scheme,
    credential_kind: credential_kind ?? undefined,
  };
}

type Entry = Readonly<{ list: ListName; at: number; given: Given; defaults: Given }>;

function wantedRecord(
  { list, at, given, defaults }: Entry,
  fingerprint: (text: string) => string,
): WantedRecord {
  const { name: _name, was, ...rest } = given;
  const isSecret = (field: string): boolean => lists[list].secrets.includes(field);
  const stated = Object.entries(rest).filter(([, value]) => value !== undefined);
  const fields = stated.filter(([field]) => !isSecret(field));
  const secrets = stated.filter(([field]) => isSecret(field));
  const set = secrets.filter(([, value]) => value !== heldCredential);
  const fingerprints = Object.fromEntries(
    set.map(([field, value]) => [field, isText(value) ? fingerprint(value) : null]),
  );
  const shown = Object.fromEntries(
    secrets.map(([field, value]) => [field, shownSecret(field, value)]),
  );
  const named = list === 'keys' ? { name: given['name'] } : {};
  return {
    list,
    at,
    ...namesIn(list, given),
    was: typeof was === 'string' ? was : null,
    stated: [...fields.map(([field]) => field), ...Object.keys({ ...fingerprints, ...named })],
    fields: {
      ...comparable(list, { ...defaults, ...Object.fromEntries(fields), name: given['name'] }),
      ...fingerprints,
    },
    shown: { ...defaults, ...Object.fromEntries(fields.map(shownField)), ...shown, ...named },
  };
}

/** An empty text clears a credential. */
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function shownSecret(field: string, value: unknown): string | null {
  if (value === heldCredential) return heldCredential;
  if (!isText(value)) return null;
  return field === 'url' ? 'another address' : 'another credential';
}
