// The nouns of the log: what people call each, where the API and the management UI show it, and what follows from it for changes and
// snapshots. Plain data: the browser reads it too.

import type { ChangeKind } from '../src/lib/vocabulary.ts';

export type NounFacts = Readonly<{
  /** In the middle of a sentence. */
  words: string;
  /**
   * The resources of the admin API whose records these are, by the first segment of their path: its list first, then other names that
   * take the same ids.
   */
  paths: readonly string[];
  /** Resources whose records are parts of one of these. The value is the part's segment in the UI's address; null where it has none. */
  parts: Readonly<Record<string, string | null>>;
  /** The screen of the management UI, and the segment before the id in its address; null where no screen shows it. */
  screen: Readonly<{ name: string; part: string | null }> | null;
  /** For the approval policy. An event type may name another kind. */
  change: ChangeKind | null;
  inSnapshot: boolean;
  /** False where only the answer to a call shows what it made, so that a change request cannot make it. */
  draftable: boolean;
  /**
   * For nouns that record a server elsewhere: what messages call it and one of it, its list in configuration files, and the usual values
   * of the fields that only this noun has (CONTRIBUTING.md, "Add a resource with a screen"). Null for other nouns.
   */
  remote: Readonly<{
    words: string;
    one: string;
    list: string;
    usual: Readonly<Record<string, string>>;
  }> | null;
}>;

const usual = { parts: {}, inSnapshot: true, draftable: true, remote: null } as const;

export const nouns = {
  principal: {
    ...usual,
    words: 'principal',
    paths: ['principals'],
    screen: { name: 'principals', part: null },
    change: 'access',
  },
  role: {
    ...usual,
    words: 'role',
    paths: ['roles'],
    screen: { name: 'roles', part: null },
    change: 'access',
  },
  api_key: {
    ...usual,
    words: 'API key',
    paths: ['keys'],
    screen: { name: 'keys', part: null },
    change: 'keys',
    draftable: false,
  },
  admin_token: {
    ...usual,
    words: 'admin token',
    paths: ['tokens'],
    screen: { name: 'tokens', part: null },
    change: 'access',
    inSnapshot: false,
    draftable: false,
  },
  provider: {
    ...usual,
    words: 'provider',
    paths: ['providers'],
    screen: { name: 'providers', part: null },
    change: 'providers',
  },
  model: {
    ...usual,
    words: 'model',
    // A backend has the id of its model.
    paths: ['provider-models', 'models', 'backends'],
    screen: { name: 'models', part: null },
    change: 'models',
  },
  frontend_model: {
    ...usual,
    words: 'frontend model',
    paths: ['frontend-models', 'virtual-models'],
    parts: { rules: 'rule', 'rule-targets': 'target', 'frontend-model-defaults': 'default' },
    screen: { name: 'frontend-models', part: null },
    change: 'routing',
  },
  pool: {
    ...usual,
    words: 'pool',
    paths: ['model-pools'],
    parts: { 'model-pool-members': 'member' },
    screen: { name: 'frontend-models', part: 'pools' },
    change: 'routing',
  },
  prompt_class: {
    ...usual,
    words: 'prompt class',
    paths: ['prompt-classes'],
    screen: { name: 'prompt-classes', part: null },
    change: 'routing',
  },
  mcp_server: {
    ...usual,
    words: 'MCP server',
    paths: ['mcp-servers'],
    screen: { name: 'mcp-servers', part: null },
    change: 'tools',
    inSnapshot: false,
    remote: {
      words: 'MCP server',
      one: 'an MCP server',
      list: 'mcp_servers',
      usual: { transport: 'http' },
    },
  },
  agent: {
    ...usual,
    words: 'agent',
    paths: ['a2a-agents'],
    screen: { name: 'agents', part: null },
    change: 'tools',
    inSnapshot: false,
    remote: {
      words: 'A2A agent',
      one: 'an A2A agent',
      list: 'a2a_agents',
      usual: { protocol_version: '0.3' },
    },
  },
  settings: {
    ...usual,
    words: 'settings',
    paths: [],
    parts: { 'fallback-model': null, 'change-policy': null },
    screen: null,
    change: null,
    inSnapshot: false,
  },
  change_request: {
    ...usual,
    words: 'change request',
    paths: ['change-requests'],
    screen: { name: 'history', part: 'requests' },
    change: null,
    inSnapshot: false,
    draftable: false,
  },
} as const satisfies Record<string, NounFacts>;

export type Noun = keyof typeof nouns;

export const isNoun = (text: string): text is Noun => Object.hasOwn(nouns, text);

/** All nouns with their facts, in the order of the table. */
export const allNouns: readonly (NounFacts & Readonly<{ noun: Noun }>)[] = Object.entries(
  nouns,
).flatMap(([noun, facts]) => (isNoun(noun) ? Object.assign({ noun }, facts) : []));

/** The nouns of the configuration. Change requests are not compared and not restored. */
export const configNouns: readonly Noun[] = allNouns
  .map(({ noun }) => noun)
  .filter((noun) => noun !== 'change_request');

/** The nouns of which a snapshot has lists. */
export type SnapshotNoun = {
  [N in Noun]: (typeof nouns)[N]['inSnapshot'] extends true ? N : never;
}[Noun];

export const isSnapshotNoun = (noun: Noun): noun is SnapshotNoun => nouns[noun].inSnapshot;

export const snapshotNouns: readonly SnapshotNoun[] = configNouns.filter(isSnapshotNoun);

/** The nouns that record a server elsewhere. */
export type RemoteNoun = {
  [N in Noun]: (typeof nouns)[N]['remote'] extends null ? never : N;
}[Noun];

const isRemote = (noun: Noun): noun is RemoteNoun => nouns[noun].remote !== null;

export const remoteNouns: readonly RemoteNoun[] = configNouns.filter(isRemote);

/** The noun whose id follows this segment of a path of the admin API. */
export const nounOfPath = (segment: string): Noun | null =>
  allNouns.find(({ paths }) => paths.includes(segment))?.noun ?? null;

/** The segments of paths below which calls may be drafted. */
export const draftablePaths: readonly string[] = allNouns
  .filter(({ draftable }) => draftable)
  .flatMap(({ paths, parts }) => [paths, Object.keys(parts)].flat());
