// Updates the content hash of snapshot versions incrementally. It equals `configHash` of the whole
// configuration (a property test checks that), at the cost of one bucket per changed entity.

import { parseStream } from '../events/catalogue.ts';
import { isSnapshotNoun } from '../events/nouns.ts';
import type { SnapshotNoun } from '../events/nouns.ts';
import {
  closeDigestList,
  draftDigest,
  emptyDigestList,
  openDigestList,
  writeDigests,
} from '../src/snapshot/digest-list.ts';
import type { DigestList, DigestListDraft } from '../src/snapshot/digest-list.ts';
import { combineDigests, memberDigest } from '../src/snapshot/hash.ts';
import { pageIds, pagesInOrder } from './config/id-map.ts';
import type { ConfigState } from './config/state.ts';
import { settingsMember, snapshotMember } from './snapshot.ts';

/** `settings` is a single digest. */
export type ContentHash = Readonly<Record<SnapshotNoun, DigestList> & { settings: string }>;

/** Can be read between two commands. */
export type ContentDraft = Readonly<Record<SnapshotNoun, DigestListDraft>> & { settings: string };

/** From scratch. */
export const contentHashOf = (state: ConfigState): ContentHash => ({
  ...eachList((noun) => digestListOf(state, noun)),
  settings: memberDigest(settingsMember(state)),
});

function digestListOf(state: ConfigState, noun: SnapshotNoun): DigestList {
  const draft = openDigestList(emptyDigestList);
  for (const [number, page] of pagesInOrder<unknown>(state[noun].byId)) {
    const digests = new Map<number, string>();
    for (let id = number * pageIds; id < number * pageIds + page.length; id++) {
      const digest = entityDigest(state, noun, id);
      if (digest !== null) digests.set(id, digest);
    }
    writeDigests(draft, digests);
  }
  return closeDigestList(draft);
}

/** Only entities of `streams` may differ. */
export function movedContentHash(
  content: ContentHash,
  state: ConfigState,
  streams: readonly string[],
): ContentHash {
  const draft = openContent(content);
  moveContent(draft, state, streams);
  return closeContent(draft);
}

export const openContent = (content: ContentHash): ContentDraft => ({
  ...eachList((noun) => openDigestList(content[noun])),
  settings: content.settings,
});

/** The draft must not be updated afterwards. */
export const closeContent = (draft: ContentDraft): ContentHash => ({
  ...eachList((noun) => closeDigestList(draft[noun])),
  settings: draft.settings,
});

const eachList = <Value>(make: (noun: SnapshotNoun) => Value): Record<SnapshotNoun, Value> => ({
  principal: make('principal'),
  role: make('role'),
  api_key: make('api_key'),
  provider: make('provider'),
  model: make('model'),
  frontend_model: make('frontend_model'),
  pool: make('pool'),
  prompt_class: make('prompt_class'),
});

export function moveContent(
  draft: ContentDraft,
  state: ConfigState,
  streams: readonly string[],
): void {
  const changed = new Map<SnapshotNoun, Map<number, string | null>>();
  for (const stream of streams) {
    const { noun, id } = parseStream(stream);
    if (noun === 'settings') draft.settings = memberDigest(settingsMember(state));
    if (!isSnapshotNoun(noun)) continue;
    const digests = changed.get(noun) ?? new Map<number, string | null>();
    changed.set(noun, digests.set(id, entityDigest(state, noun, id)));
  }
  for (const [noun, digests] of changed) writeDigests(draft[noun], digests);
}

function entityDigest(state: ConfigState, noun: SnapshotNoun, id: number): string | null {
  const member = snapshotMember(state, noun, id);
  return member === null ? null : memberDigest(member);
}

/** 64 hex digits. */
export const draftHashText = (draft: ContentDraft): string =>
  combineDigests({
    principals: draftDigest(draft.principal),
    roles: draftDigest(draft.role),
    api_keys: draftDigest(draft.api_key),
    providers: draftDigest(draft.provider),
    models: draftDigest(draft.model),
    frontend_models: draftDigest(draft.frontend_model),
    pools: draftDigest(draft.pool),
    prompt_classes: draftDigest(draft.prompt_class),
    settings: draft.settings,
  });

export const contentHashText = (content: ContentHash): string =>
  draftHashText(openContent(content));
