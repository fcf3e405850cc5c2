// Reads the providers of a configuration file: address, protocol and credential.

import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { CredentialKind, Protocol } from '../../lib/vocabulary.ts';
import { commonProtocol, protocolFacts } from '../../protocols/facts.ts';
import type { RawProvider } from './format.ts';
import type { Notes, Path } from './source.ts';

/** `credential` is null if the file has none. */
export type FileProvider = Readonly<{
  apiBase: string;
  protocol: Protocol;
  authHeader: string;
  /** Null sends the raw credential. */
  authScheme: string | null;
  credentialKind: CredentialKind;
  credential: string | null;
}>;

export type NamedProvider = FileProvider &
  Readonly<{ name: string; kind: 'static' | 'cloud'; catalogueKey: string | null }>;

type Given = Readonly<{
  api_base: string;
  protocol: Protocol;
  auth_header?: string | null | undefined;
  auth_scheme?: string | null | undefined;
  credential_kind?: CredentialKind | null | undefined;
  api_key?: string | null | undefined;
}>;

/** Values of api_key that mean "none". */
const placeholderKeys: ReadonlySet<string> = new Set(['', 'not-needed', 'none', 'null']);

export type Unfit = Readonly<{ field: 'api_base' | 'api_key'; message: string }>;

export function providerOf(given: Given): FileProvider | Unfit {
  const address = addressOf(given.api_base);
  if (typeof address !== 'string') return { field: 'api_base', message: address.message };
  const written = given.api_key ?? '';
  const credential = placeholderKeys.has(written.toLowerCase()) ? null : written;
  const credentialKind = given.credential_kind ?? 'static';
  // Headers cannot carry other characters.
  if (credentialKind === 'static' && credential !== null && !/^[\x21-\x7e]+$/.test(credential)) {
    return { field: 'api_key', message: 'must be printable ASCII without blanks' };
  }
  const { auth } = protocolFacts[given.protocol];
  const scheme = given.auth_scheme ?? auth.auth_scheme;
  return {
    apiBase: address,
    protocol: given.protocol,
    authHeader: (given.auth_header ?? auth.auth_header).toLowerCase(),
    authScheme: scheme === '' ? null : scheme,
    credentialKind,
    credential,
  };
}

export const isUnfit = (value: FileProvider | Unfit): value is Unfit => 'field' in value;

const no = (message: string): Refusal => refuse('invalid', message);

/** Addresses must not contain secrets, because open pages of the gateway show them. */
function addressOf(text: string): string | Refusal {
  const placeholder = /<[^<>]+>/.exec(text)?.[0];
  if (placeholder !== undefined) return no(`still contains the placeholder ${placeholder}`);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return no('is not an http or https address');
  if (url.username !== '' || url.password !== '')
    return no('must not contain a user name or password');
  if (url.search !== '' || url.hash !== '') return no('must not have a query or a fragment');
  return url.href.replace(/\/+$/, '');
}

/** Equal for entries that share a provider: address, credential and how it is sent. */
export const providerIdentity = (provider: FileProvider): string =>
  JSON.stringify([endpointIdentity(provider), provider.credential]);

export const endpointIdentity = ({
  apiBase,
  protocol,
  authHeader,
  authScheme,
}: FileProvider): string => JSON.stringify([apiBase, protocol, authHeader, authScheme]);

export function readProviders(
  given: readonly RawProvider[],
  { source, errors, at }: Notes & Readonly<{ at: Path }>,
): readonly NamedProvider[] {
  const names = new Set<string>();
  const identities = new Set<string>();
  return given.flatMap((raw, index) => {
    const provider = providerOf({ ...raw, protocol: raw.protocol ?? commonProtocol });
    const wrong = (field: string, message: string): void =>
      void errors.push(source.issue([...at, index, field], message));
    if (isUnfit(provider)) {
      wrong(provider.field, provider.message);
      return [];
    }
    const identity = providerIdentity(provider);
    if (names.has(raw.name)) wrong('name', `${raw.name} is used twice`);
    if (identities.has(identity)) wrong('api_base', 'is given twice with the same auth');
    names.add(raw.name);
    identities.add(identity);
    const { name, kind, catalogue_key: catalogueKey } = raw;
    return [{ ...provider, name, kind, catalogueKey: catalogueKey ?? null }];
  });
}
