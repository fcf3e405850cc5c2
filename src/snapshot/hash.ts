// Computes the content hash of a snapshot's configuration, which is equal for equal configurations.
// Three levels: members in buckets of 256 ids, buckets per noun, nouns. After a change of one
// member, only a few hundred digests are computed again instead of a hundred thousand.

import { hash } from 'node:crypto';

import { canonicalJson } from '../lib/canonical-json.ts';
import type { SnapshotConfig } from './schema.ts';

export const bucketIds = 256;
export const bucketOf = (id: number): number => Math.floor(id / bucketIds);

export const memberDigest = (member: unknown): string => hash('sha256', canonicalJson(member));

/**
 * The digest of lines joined by line feeds. A bucket's lines are its members' digests in id order.
 * A noun's lines are its bucket numbers, ascending and without empty ones, each with the bucket's
 * digest.
 */
export const digestOfLines = (lines: string | Uint8Array): string => hash('sha256', lines);

/** By noun. */
export type ConfigDigests = Readonly<Record<keyof SnapshotConfig, string>>;

export function combineDigests(digests: ConfigDigests): string {
  const lists = [
    digests.principals,
    digests.roles,
    digests.api_keys,
    digests.providers,
    digests.models,
    digests.frontend_models,
    digests.pools,
    digests.prompt_classes,
    digests.settings,
  ];
  return hash('sha256', ['gw-config-v1', ...lists].join('\n'));
}

/** 64 hex digits. */
export const configHash = (config: SnapshotConfig): string =>
  combineDigests({
    principals: membersDigest(config.principals),
    roles: membersDigest(config.roles),
    api_keys: membersDigest(config.api_keys),
    providers: membersDigest(config.providers),
    models: membersDigest(config.models),
    frontend_models: membersDigest(config.frontend_models),
    pools: membersDigest(config.pools),
    prompt_classes: membersDigest(config.prompt_classes),
    settings: memberDigest(config.settings),
  });

function membersDigest(members: readonly { id: number }[]): string {
  const buckets = Map.groupBy(
    members.toSorted((a, b) => a.id - b.id),
    (member) => bucketOf(member.id),
  );
  const lines = [...buckets].map(
    ([bucket, held]) => `${bucket} ${digestOfLines(held.map(memberDigest).join('\n'))}`,
  );
  return digestOfLines(lines.join('\n'));
}
