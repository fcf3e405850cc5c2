// Builds dial targets from providers: endpoint, plaintext credential and path of the model list.

import type { Queryable } from '@databases/pg';

import type { Endpoint } from '../../../events/provider.ts';
import type { Provider } from '../../../projections/config/provider.ts';
import type { Vault } from '../../db/vault.ts';
import { isRefusal, refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { findCatalogueEntry } from '../../snapshot/provider-catalogue.ts';
import type { Dial, DialTarget } from './verify-provider.ts';

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

type Stored = Readonly<{ vault: Pick<Vault, 'reveal'>; db: Queryable }>;

/** Omits providers whose credential cannot be opened. */
export async function storedTargets(
  { vault, db }: Stored,
  providers: readonly Provider[],
): Promise<ReadonlyMap<Provider, DialTarget>> {
  const refs = providers.flatMap(({ credential }) => credential?.ref ?? []);
  const plaintexts = await vault.reveal(db, refs);
  return new Map(
    providers.map((provider) => {
      const { endpoint, catalogueKey, credential: stored } = provider;
      const plaintext = stored === null ? undefined : plaintexts.get(stored.ref);
      const credential =
        stored === null || plaintext === undefined ? null : { kind: stored.kind, plaintext };
      return [provider, dialTarget({ endpoint, credential, catalogueKey })];
    }),
  );
}

export async function storedTarget(stored: Stored, provider: Provider): Promise<DialTarget> {
  const target = (await storedTargets(stored, [provider])).get(provider);
  if (target === undefined) throw new Error('a provider has no dial target');
  return target;
}

export async function verify(
  { dial }: Readonly<{ dial: Dial }>,
  target: Target,
): Promise<Refusal | null> {
  const served = await dial(dialTarget(target));
  return isRefusal(served) ? asInput(served) : null;
}

/**
 * A provider that does not answer is invalid input when it is written, and a failing upstream
 * later.
 */
export const asInput = (refusal: Refusal): Refusal =>
  refusal.refused === 'upstream'
    ? refuse('invalid', refusal.message, refusal.param === null ? {} : { param: refusal.param })
    : refusal;
