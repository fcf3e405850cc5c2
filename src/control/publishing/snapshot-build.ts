// Builds the snapshot of a state without its overlay: the configuration and the plaintexts that a
// proxy needs. Only the pages that changed since the last build cost anything.

import type { Queryable } from '@databases/pg';

import { contentHashText } from '../../../projections/content-hash.ts';
import type { Cursor } from '../../../projections/rows.ts';
import { createPagedConfigMaker } from '../../../projections/snapshot.ts';
import type { Vault } from '../../db/vault.ts';
import { credentialRef, keyRef } from '../../snapshot/paged.ts';
import type { PagedSnapshot, Pages } from '../../snapshot/paged.ts';
import { snapshotSchemaVersion } from '../../snapshot/schema.ts';
import type { SnapshotProvider } from '../../snapshot/schema.ts';
import type { Centroids } from './centroids.ts';
import type { CloudProvider } from '../providers/cloud-token.ts';
import { createSnapshotSecrets } from './snapshot-secrets.ts';

export type SnapshotBuilder = Readonly<{
  /** Builds must not overlap. Throws if the vault cannot be read. */
  build: (cursor: Cursor) => Promise<BuiltSnapshot>;
  /** Those of the last built configuration. */
  cloudProviders: () => CloudProvider[];
}>;

export type BuiltSnapshot = Omit<PagedSnapshot, 'overlay'>;

type Dependencies = Readonly<{
  db: Queryable;
  vault: Vault;
  logId: string;
  centroids: Centroids;
}>;

type Providers = Readonly<{ pages: Pages<SnapshotProvider>; texts: Pages<string | null> }>;

/** Reuses the parts that have not changed since the last build. */
export function createSnapshotBuilder(dependencies: Dependencies): SnapshotBuilder {
  const { db, vault, logId, centroids } = dependencies;
  const configOf = createPagedConfigMaker();
  const verifiersOf = createSnapshotSecrets({ db, vault }, keyRef);
  const credentialsOf = createSnapshotSecrets({ db, vault }, credentialRef);
  let providers: Providers = { pages: new Map(), texts: new Map() };
  let sent: Pages<string | null> = providers.texts;
  return {
    build: async ({ state, content }) => {
      const { lists, settings } = configOf(state);
      const verifiers = await verifiersOf(lists.api_keys);
      const texts = await credentialsOf(lists.providers);
      if (texts !== providers.texts) sent = withoutKeyFiles({ pages: lists.providers, texts });
      providers = { pages: lists.providers, texts };
      return {
        schema: snapshotSchemaVersion,
        version: state.version,
        config_hash: contentHashText(content),
        log: { id: logId, position: state.position, hash: state.hash },
        lists,
        settings,
        texts: { api_keys: verifiers, providers: sent },
        classifier: await centroids.of(state),
      };
    },
    cloudProviders: () =>
      membersWithTexts(providers).flatMap(([{ id, name, credential_kind: kind }, keyFile]) =>
        kind === keyFileKind ? [{ id, name, keyFile }] : [],
      ),
  };
}

const keyFileKind = 'cloud_service_account';

/** A key file never leaves the control plane. Its access token does. */
const withoutKeyFiles = ({ pages, texts }: Providers): Pages<string | null> =>
  new Map(
    [...pages].map(([number, members]) => [
      number,
      members.map(({ credential_kind: kind }, at) =>
        kind === keyFileKind ? null : (texts.get(number)?.[at] ?? null),
      ),
    ]),
  );

const membersWithTexts = ({ pages, texts }: Providers) =>
  [...pages].flatMap(([number, members]) =>
    members.map((member, at) => [member, texts.get(number)?.[at] ?? null] as const),
  );
