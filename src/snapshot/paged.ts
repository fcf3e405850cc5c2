// Holds a snapshot in pages of members. Successive snapshots share the pages that did not change, so
// that the next one, and what changed, cost only the pages that differ.

import type {
  Snapshot,
  SnapshotApiKey,
  SnapshotConfig,
  SnapshotProvider,
  SnapshotSettings,
} from './schema.ts';

/** By number, in ascending order. A page has its members in the order of their ids. */
export type Pages<Member> = ReadonlyMap<number, readonly Member[]>;

/** The lists of a configuration. */
export type ListName = Exclude<keyof SnapshotConfig, 'settings'>;

export type PagedLists = { readonly [Name in ListName]: Pages<SnapshotConfig[Name][number]> };
export type PagedConfig = Readonly<{ lists: PagedLists; settings: SnapshotSettings }>;

/** Each text is the secret of the member at the same place. Null if there is none to send. */
export type SecretTexts = Readonly<{
  api_keys: Pages<string | null>;
  providers: Pages<string | null>;
}>;

export type PagedSnapshot = Omit<Snapshot, 'config' | 'secrets'> &
  PagedConfig &
  Readonly<{ texts: SecretTexts }>;

export function membersOf<Member>(pages: Pages<Member>): Member[] {
  const members: Member[] = [];
  for (const page of pages.values()) for (const member of page) members.push(member);
  return members;
}

export const configOf = ({ lists, settings }: PagedConfig): SnapshotConfig => ({
  principals: membersOf(lists.principals),
  roles: membersOf(lists.roles),
  api_keys: membersOf(lists.api_keys),
  providers: membersOf(lists.providers),
  models: membersOf(lists.models),
  frontend_models: membersOf(lists.frontend_models),
  pools: membersOf(lists.pools),
  prompt_classes: membersOf(lists.prompt_classes),
  settings,
});

export const keyRef = ({ verifier_ref: ref }: SnapshotApiKey): string => ref;
export const credentialRef = ({ credential_ref: ref }: SnapshotProvider): string | null => ref;

/** The secrets of the members on one page, by ref. */
export function secretsOn<Member>(
  number: number,
  list: Pages<Member>,
  texts: Pages<string | null>,
  refOf: (member: Member) => string | null,
): (readonly [ref: string, text: string])[] {
  const page = texts.get(number) ?? [];
  return (list.get(number) ?? []).flatMap((member, at) => {
    const [ref, text] = [refOf(member), page[at] ?? null];
    return ref === null || text === null ? [] : [[ref, text] as const];
  });
}

/** All secrets. Those that providers share appear once. */
export function* secretsIn({
  lists,
  texts,
}: Pick<PagedSnapshot, 'lists' | 'texts'>): Generator<readonly [ref: string, text: string]> {
  for (const number of lists.api_keys.keys()) {
    yield* secretsOn(number, lists.api_keys, texts.api_keys, keyRef);
  }
  const shared = new Map<string, string>();
  for (const number of lists.providers.keys()) {
    const found = secretsOn(number, lists.providers, texts.providers, credentialRef);
    for (const [ref, text] of found) shared.set(ref, text);
  }
  yield* shared;
}

/** Copies all pages. */
export function wholeOf(paged: PagedSnapshot): Snapshot {
  const { schema, version, config_hash, log, classifier, overlay } = paged;
  return {
    schema,
    version,
    config_hash,
    log,
    config: configOf(paged),
    secrets: Object.fromEntries(secretsIn(paged)),
    classifier,
    overlay,
  };
}
