// Builds the snapshot of a state without its overlay: the configuration and the plaintexts that a
// proxy needs.

import type { Queryable } from '@databases/pg';

import { contentHashText } from '../../../projections/content-hash.ts';
import type { Cursor } from '../../../projections/rows.ts';
import { createConfigMaker, secretRefs } from '../../../projections/snapshot.ts';
import type { Vault } from '../../db/vault.ts';
import { snapshotSchemaVersion } from '../../snapshot/schema.ts';
import type { Snapshot, SnapshotConfig } from '../../snapshot/schema.ts';
import type { Centroids } from './centroids.ts';
import type { CloudProvider } from '../providers/cloud-token.ts';
import { createSnapshotSecrets } from './snapshot-secrets.ts';

export type SnapshotBuilder = Readonly<{
  /** Builds never overlap. Throws if the vault cannot be read. */
  build: (cursor: Cursor) => Promise<BuiltSnapshot>;
  /** Those of the last built configuration. */
  cloudProviders: (config: SnapshotConfig) => CloudProvider[];
}>;

/** `missing` are the refs of secrets that could not be read. */
export type BuiltSnapshot = Readonly<{
  base: Omit<Snapshot, 'overlay'>;
  missing: readonly string[];
}>;

type Dependencies = Readonly<{
  db: Queryable;
  vault: Vault;
  logId: string;
  centroids: Centroids;
}>;

/** Reuses the parts that have not changed since the last build. */
export function createSnapshotBuilder(dependencies: Dependencies): SnapshotBuilder {
  const { db, vault, logId, centroids } = dependencies;
  const configOf = createConfigMaker();
  const secrets = createSnapshotSecrets({ db, vault });
  return {
    build: async ({ state, content }) => {
      const config = configOf(state);
      const refs = secretRefs(config);
      await secrets.keep(refs);
      // A key file never leaves the control plane. Its access token does.
      const keyFileRefs = new Set(serviceAccounts(config).map(({ credential_ref: ref }) => ref));
      const found = secrets.of(refs.filter((ref) => !keyFileRefs.has(ref)));
      const base = {
        schema: snapshotSchemaVersion,
        version: state.version,
        config_hash: contentHashText(content),
        log: { id: logId, position: state.position, hash: state.hash },
        config,
        secrets: found.secrets,
        classifier: await centroids.of(state),
      };
      return { base, missing: found.missing };
    },
    cloudProviders: (config) =>
      serviceAccounts(config).map(({ id, name, credential_ref: ref }) => ({
        id,
        name,
        keyFile: (ref === null ? undefined : secrets.get(ref)) ?? null,
      })),
  };
}

const serviceAccounts = ({ providers }: SnapshotConfig): SnapshotConfig['providers'] =>
  providers.filter((one) => one.credential_kind === 'cloud_service_account');
