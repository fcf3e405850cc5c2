// Validates a provider's endpoint and credential and fills in defaults (specification, "Provider").

import type { Endpoint } from '../../../events/provider.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { CredentialKind, Protocol } from '../../lib/vocabulary.ts';
import { commonProtocol, protocolFacts } from '../../protocols/facts.ts';
import type { CatalogueEntry } from '../../snapshot/provider-catalogue.ts';
import { placeholderIn } from '../../snapshot/provider-catalogue.ts';
import { readKeyFile } from './service-account.ts';

export type GivenEndpoint = Readonly<{
  api_base?: string | undefined;
  protocol?: Protocol | undefined;
  auth_header?: string | undefined;
  /** Empty or null sends the raw credential. */
  auth_scheme?: string | null | undefined;
  credential_kind?: CredentialKind | undefined;
}>;

/**
 * The defaults for missing fields. Its auth applies to these kinds of credentials, or to any kind
 * if absent.
 */
type EndpointBase = (Endpoint | CatalogueEntry) &
  Readonly<{ credential_kinds?: readonly CredentialKind[] }>;

type Auth = Pick<Endpoint, 'auth_header' | 'auth_scheme'>;

/** An access token is a bearer credential in every protocol (Gateway rule 15). */
const bearer: Auth = protocolFacts[commonProtocol].auth;

/** Fills in missing fields from the existing provider, then the catalogue, then the protocol. */
export function completeEndpoint(
  given: GivenEndpoint,
  base: EndpointBase | null,
): Endpoint | Refusal {
  const address = given.api_base ?? (base === null ? undefined : addressOf(base));
  if (address === undefined) {
    return refuse('invalid', 'api_base is missing, and no catalogue_key supplies one', {
      param: 'api_base',
    });
  }
  const unfit = unfitAddress(address);
  if (unfit !== null) return refuse('invalid', `api_base ${unfit}`, { param: 'api_base' });
  const protocol = given.protocol ?? base?.protocol ?? commonProtocol;
  const kinds = base?.credential_kinds;
  const kind = given.credential_kind ?? kinds?.[0] ?? 'static';
  // A change of the protocol or of the kind of credential also resets the header.
  const fits = base !== null && base.protocol === protocol && (kinds?.includes(kind) ?? true);
  const ownAuth = kind === 'cloud_service_account' ? bearer : protocolFacts[protocol].auth;
  const auth = fits ? base : ownAuth;
  const refusal = refuseOwnAuth(given, protocol, [auth, ownAuth]);
  if (refusal !== null) return refusal;
  const scheme = given.auth_scheme === undefined ? auth.auth_scheme : given.auth_scheme;
  return {
    api_base: new URL(address).href.replace(/\/+$/, ''),
    protocol,
    auth_header: (given.auth_header ?? auth.auth_header).toLowerCase(),
    auth_scheme: scheme === '' ? null : scheme,
  };
}

/**
 * A vendor's own protocol defines how a credential is sent; only the common protocol allows another
 * way. A value that equals the stored or default one is accepted.
 */
function refuseOwnAuth(
  { auth_header, auth_scheme }: GivenEndpoint,
  protocol: Protocol,
  allowed: readonly Auth[],
): Refusal | null {
  if (protocol === commonProtocol) return null;
  const [automatic] = allowed.toReversed();
  const header = auth_header?.toLowerCase();
  if (header !== undefined && allowed.every((auth) => auth.auth_header !== header)) {
    return refuse(
      'invalid',
      `auth_header: protocol ${protocol} sends its credential in ${automatic?.auth_header}; omit the field`,
      { param: 'auth_header' },
    );
  }
  const scheme = auth_scheme === '' ? null : auth_scheme;
  if (scheme === undefined || allowed.some((auth) => auth.auth_scheme === scheme)) return null;
  return refuse('invalid', `auth_scheme: protocol ${protocol} sets it; omit the field`, {
    param: 'auth_scheme',
  });
}

const addressOf = (base: EndpointBase): string =>
  'api_base' in base ? base.api_base : base.base_url;

/**
 * Null if the URL is valid. Addresses must not contain secrets, because some public pages show
 * them.
 */
export function unfitAddress(address: string): string | null {
  const placeholder = placeholderIn(address);
  if (placeholder !== null) return `still contains the placeholder ${placeholder}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null) return 'is not a URL';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'is not an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (url.search !== '' || url.hash !== '') return 'must not have a query or a fragment';
  return null;
}

/** Null if the credential is valid for its kind. The refusal never contains its text. */
export function unfitCredential(kind: CredentialKind, credential: string): Refusal | null {
  const param = 'upstream_api_key';
  if (kind === 'static') {
    // HTTP headers cannot carry other characters.
    if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(credential)) return null;
    return refuse('invalid', `${param} must be printable ASCII in one line`, { param });
  }
  if (readKeyFile(credential) !== null) return null;
  return refuse('invalid', `${param} is not a service account key file in JSON`, { param });
}
