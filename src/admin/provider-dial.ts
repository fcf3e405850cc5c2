// Dialling a provider for a route: with its credential in clear, at the place where the catalogue says its model list lies.

import type { Endpoint } from '../../events/provider.ts';
import type { Provider } from '../../projections/config/provider.ts';
import { findCatalogueEntry } from '../control/provider-catalogue.ts';
import type { DialTarget } from '../control/verify-provider.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { Control } from './control.ts';

type Target = Readonly<{
  endpoint: Endpoint;
  credential: DialTarget['credential'];
  catalogueKey: string | null;
}>;

export const dialTarget = ({ endpoint, credential, catalogueKey }: Target): DialTarget => ({
  endpoint,
  credential,
  modelsPath:
    catalogueKey === null ? null : (findCatalogueEntry(catalogueKey)?.models_path ?? null),
});

/** Null when it answers. A provider that does not, when it is written, is a wrong input; asked later, a failing upstream. */
export async function verify(control: Control, target: Target): Promise<Refusal | null> {
  const served = await control.dial(dialTarget(target));
  if (!isRefusal(served)) return null;
  if (served.refused !== 'upstream') return served;
  return refuse('invalid', served.message, served.param === null ? {} : { param: served.param });
}

/** The stored credential in clear. */
export async function revealed(
  { vault, db }: Control,
  { credential }: Provider,
): Promise<DialTarget['credential']> {
  if (credential === null) return null;
  const plaintext = (await vault.reveal(db, [credential.ref])).get(credential.ref);
  return plaintext === undefined ? null : { kind: credential.kind, plaintext };
}
