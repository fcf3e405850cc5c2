// What is dialled of a provider: its endpoint and its credential in clear, at the place where the catalogue says its model list lies.

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

/** What to dial of each of these providers, with the stored credentials; a credential that cannot be opened is left out. */
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

/** The same of one provider. */
export async function storedTarget(stored: Stored, provider: Provider): Promise<DialTarget> {
  const target = (await storedTargets(stored, [provider])).get(provider);
  if (target === undefined) throw new Error('a provider was asked for and has no target');
  return target;
}

/** Null when it answers. */
export async function verify(
  { dial }: Readonly<{ dial: Dial }>,
  target: Target,
): Promise<Refusal | null> {
  const served = await dial(dialTarget(target));
  return isRefusal(served) ? asInput(served) : null;
}

/** A provider that does not answer, when it is written, is a wrong input; asked later, a failing upstream. */
export const asInput = (refusal: Refusal): Refusal =>
  refusal.refused === 'upstream'
    ? refuse('invalid', refusal.message, refusal.param === null ? {} : { param: refusal.param })
    : refusal;
