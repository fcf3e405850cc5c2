// Makes editions of snapshots for tests, and the deltas between any two of them.

import type { SnapshotDelta } from '../../../src/snapshot/delta/delta.ts';
import { followedBy } from '../../../src/snapshot/delta/edition.ts';
import type { Edition } from '../../../src/snapshot/delta/edition.ts';
import { credentialRef, keyRef } from '../../../src/snapshot/paged.ts';
import type { PagedSnapshot, Pages } from '../../../src/snapshot/paged.ts';
import type { Snapshot } from '../../../src/snapshot/schema.ts';

const pageIds = 256;

/** The same snapshot in pages of its own. */
export function pagedOf({ config, secrets, ...rest }: Snapshot): PagedSnapshot {
  const lists = {
    principals: pagesOf(config.principals),
    roles: pagesOf(config.roles),
    api_keys: pagesOf(config.api_keys),
    providers: pagesOf(config.providers),
    models: pagesOf(config.models),
    frontend_models: pagesOf(config.frontend_models),
    pools: pagesOf(config.pools),
    prompt_classes: pagesOf(config.prompt_classes),
  };
  const textOf = (ref: string | null): string | null =>
    ref === null ? null : (secrets[ref] ?? null);
  const texts = {
    api_keys: textPages(lists.api_keys, (key) => textOf(keyRef(key))),
    providers: textPages(lists.providers, (one) => textOf(credentialRef(one))),
  };
  return { ...rest, lists, settings: config.settings, texts };
}

const pagesOf = <Member extends Readonly<{ id: number }>>(
  members: readonly Member[],
): Pages<Member> => Map.groupBy(members, ({ id }) => Math.floor(id / pageIds));

const textPages = <Member>(
  pages: Pages<Member>,
  textOf: (member: Member) => string | null,
): Pages<string | null> => new Map([...pages].map(([number, page]) => [number, page.map(textOf)]));

export const deltaBetween = (base: Edition, next: Edition): SnapshotDelta =>
  followedBy(base, next).delta;
