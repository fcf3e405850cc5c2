// The content hash of a snapshot's configuration: equal configurations have equal hashes, whoever computes them.
// Per noun: SHA-256 over the digests of its members in id order; then SHA-256 over the nouns in the order below.

import { hash } from 'node:crypto';

import { canonicalJson } from '../lib/canonical-json.ts';
import type { SnapshotConfig } from './schema.ts';

export const memberDigest = (member: unknown): string => hash('sha256', canonicalJson(member));

export const listDigest = (memberDigests: readonly string[]): string =>
  hash('sha256', memberDigests.join(''));

/** The digest of each noun, in a shape whose keys are those of `SnapshotConfig`. */
export type ConfigDigests = Readonly<Record<keyof SnapshotConfig, string>>;

export function combineDigests(digests: ConfigDigests): string {
  const { principals, roles, api_keys, providers, models, settings } = digests;
  return hash(
    'sha256',
    ['gw-config-v1', principals, roles, api_keys, providers, models, settings].join('\n'),
  );
}

/** 64 hex digits. Lists must be in id order, as the control plane sends them. */
export function configHash(config: SnapshotConfig): string {
  const list = (members: readonly unknown[]) => listDigest(members.map(memberDigest));
  return combineDigests({
    principals: list(config.principals),
    roles: list(config.roles),
    api_keys: list(config.api_keys),
    providers: list(config.providers),
    models: list(config.models),
    settings: memberDigest(config.settings),
  });
}
