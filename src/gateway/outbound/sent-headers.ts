// Decides which headers of a client a backend gets, and keeps them while the client repeats its head.

import type { Protocol } from '../../lib/vocabulary.ts';
import { protocolFacts, protocolNames } from '../../protocols/facts.ts';
import type { CompiledBackend } from '../../snapshot/compile/models.ts';
import { withoutHeader } from '../transport/header-policy.ts';

/** The headers that backends got of the same headers of a client. */
export class SentHeaders {
  readonly #known = new WeakMap<CompiledBackend, WeakMap<readonly string[], readonly string[]>>();

  /** Alternating names and values, with the credential. The same array for the same arguments. */
  of(backend: CompiledBackend, headers: readonly string[]): readonly string[] {
    let known = this.#known.get(backend);
    if (known === undefined) {
      known = new WeakMap();
      this.#known.set(backend, known);
    }
    let sent = known.get(headers);
    if (sent === undefined) {
      sent = withCredential(headers, backend);
      known.set(headers, sent);
    }
    return sent;
  }
}

const vendorHeaders = protocolNames.flatMap((name) => protocolFacts[name].clientHeaders);

/** True when clients send this header for backends of another protocol. */
export const isForeign = (name: string, protocol: Protocol): boolean =>
  vendorHeaders.includes(name) && !protocolFacts[protocol].clientHeaders.includes(name);

/** By protocol, the headers that clients send for backends of others. */
const foreignHeaders = new Map(
  protocolNames.map((protocol) => [
    protocol,
    vendorHeaders.filter((name) => isForeign(name, protocol)),
  ]),
);

/** Removes a client header with the credential's name, and headers of other vendors' APIs. */
export function withCredential(
  headers: readonly string[],
  { credentialHeaders, protocol }: CompiledBackend,
): string[] {
  const [name] = credentialHeaders;
  let kept = name === undefined ? headers : without(headers, name);
  for (const header of foreignHeaders.get(protocol) ?? []) kept = without(kept, header);
  return kept.concat(credentialHeaders);
}

const without = (headers: readonly string[], name: string): readonly string[] =>
  headers.includes(name) ? withoutHeader(headers, name) : headers;
