// Lists the nouns of the log: their names, where the API and the management UI show them, and how
// changes and snapshots treat them. Plain data, because the browser reads it too.

import type { ChangeKind } from '../src/lib/vocabulary.ts';

type Permission = 'config:write' | 'key:create';

export type NounFacts = Readonly<{
  /** The name in the middle of a sentence. */
  words: string;
  /**
   * The admin API's paths, by first segment: the list first, then other names that accept the same
   * ids.
   */
  paths: readonly string[];
  /** Resources that are parts of one record, with the segment in the UI's address, or null. */
  parts: Readonly<Record<string, string | null>>;
  /**
   * The screen of the UI, and the segment before the id in its address; null if no screen shows the
   * noun.
   */
  screen: Readonly<{ name: string; part: string | null }> | null;
  /** Null without an entry in the navigation. `key` is pressed after `g`. */
  nav: Readonly<{ title: string; icon: string; group: string; key: string }> | null;
  /**
   * The order in the navigation and the palette. Null if the palette neither finds nor creates such
   * records.
   */
  rank: number | null;
  /** The permission needed to create one. */
  creation: Permission;
  /** The prefix in a permission that names one record. */
  granted: 'model/' | 'mcp/' | 'agent/' | null;
  /** In the API reference (src/admin/openapi/openapi-tags.ts). */
  tag: string | null;
  /** A name for examples. */
  example: string | null;
  /** For the approval policy. An event type may name another kind. */
  change: ChangeKind | null;
  inSnapshot: boolean;
  /**
   * False if only the answer to the call shows what it created, so that a change request cannot
   * create it.
   */
  draftable: boolean;
  /**
   * For nouns that record a remote server: its names in messages, its list in configuration files,
   * and typical values of the noun's own fields (CONTRIBUTING.md, "Add a resource with a screen").
   */
  remote: Readonly<{
    words: string;
    one: string;
    list: string;
    usual: Readonly<Record<string, string>>;
    /** For examples. */
    url: string;
  }> | null;
}>;

const usual = {
  parts: {},
  creation: 'config:write',
  granted: null,
  inSnapshot: true,
  draftable: true,
  remote: null,
} as const;

export const nouns = {
  principal: {
    ...usual,
    words: 'principal',
    paths: ['principals'],
    screen: { name: 'principals', part: null },
    nav: { title: 'Principals', icon: 'users-round', group: 'Access', key: 'i' },
    rank: 8,
    tag: 'principals',
    example: 'reporting',
    change: 'access',
  },
  role: {
    ...usual,
    words: 'role',
    paths: ['roles'],
    screen: { name: 'roles', part: null },
    nav: { title: 'Roles', icon: 'shield-check', group: 'Access', key: 'r' },
    rank: 9,
    tag: 'roles',
    example: 'auditor',
    change: 'access',
  },
  api_key: {
    ...usual,
    words: 'API key',
    paths: ['keys'],
    screen: { name: 'keys', part: null },
    nav: { title: 'API keys', icon: 'key-round', group: 'Access', key: 'k' },
    rank: 1,
    creation: 'key:create',
    tag: 'keys',
    example: 'nightly',
    change: 'keys',
    draftable: false,
  },
  admin_token: {
    ...usual,
    words: 'admin token',
    paths: ['tokens'],
    screen: { name: 'tokens', part: null },
    nav: { title: 'Admin tokens', icon: 'terminal', group: 'Access', key: 'n' },
    rank: 2,
    tag: 'tokens',
    example: 'terraform',
    change: 'access',
    inSnapshot: false,
    draftable: false,
  },
  provider: {
    ...usual,
    words: 'provider',
    paths: ['providers'],
    screen: { name: 'providers', part: null },
    nav: { title: 'Providers', icon: 'plug', group: 'Routing', key: 'p' },
    rank: 6,
    tag: 'providers',
    example: 'rack-1',
    change: 'providers',
  },
  model: {
    ...usual,
    words: 'model',
    // A backend has the id of its model.
    paths: ['provider-models', 'models', 'backends'],
    screen: { name: 'models', part: null },
    nav: { title: 'Models', icon: 'boxes', group: 'Routing', key: 'd' },
    rank: 5,
    granted: 'model/',
    tag: 'models',
    example: 'qwen3-8b',
    change: 'models',
  },
  frontend_model: {
    ...usual,
    words: 'frontend model',
    paths: ['frontend-models', 'virtual-models'],
    parts: { rules: 'rule', 'rule-targets': 'target', 'frontend-model-defaults': 'default' },
    screen: { name: 'frontend-models', part: null },
    nav: { title: 'Frontend models', icon: 'route', group: 'Routing', key: 'f' },
    rank: 3,
    granted: 'model/',
    tag: 'routing',
    example: 'chat',
    change: 'routing',
  },
  pool: {
    ...usual,
    words: 'pool',
    paths: ['model-pools'],
    parts: { 'model-pool-members': 'member' },
    screen: { name: 'frontend-models', part: 'pools' },
    nav: null,
    rank: 7,
    tag: 'routing',
    example: 'small',
    change: 'routing',
  },
  prompt_class: {
    ...usual,
    words: 'prompt class',
    paths: ['prompt-classes'],
    screen: { name: 'prompt-classes', part: null },
    nav: { title: 'Prompt classes', icon: 'tags', group: 'Routing', key: 'c' },
    rank: 4,
    tag: 'routing',
    example: 'code',
    change: 'routing',
  },
  mcp_server: {
    ...usual,
    words: 'MCP server',
    paths: ['mcp-servers'],
    screen: { name: 'mcp-servers', part: null },
    nav: { title: 'MCP servers', icon: 'wrench', group: 'Tools', key: 'x' },
    rank: 10,
    granted: 'mcp/',
    tag: 'remotes',
    example: 'search',
    change: 'tools',
    inSnapshot: false,
    remote: {
      words: 'MCP server',
      one: 'an MCP server',
      list: 'mcp_servers',
      usual: { transport: 'http' },
      url: 'https://mcp.example.com/mcp',
    },
  },
  agent: {
    ...usual,
    words: 'agent',
    paths: ['a2a-agents'],
    screen: { name: 'agents', part: null },
    nav: { title: 'Agents', icon: 'bot', group: 'Tools', key: 'a' },
    rank: 11,
    granted: 'agent/',
    tag: 'remotes',
    example: 'planner',
    change: 'tools',
    inSnapshot: false,
    remote: {
      words: 'A2A agent',
      one: 'an A2A agent',
      list: 'a2a_agents',
      usual: { protocol_version: '0.3' },
      url: 'https://agents.example.com/planner',
    },
  },
  webhook_endpoint: {
    ...usual,
    words: 'webhook',
    paths: ['webhooks'],
    screen: { name: 'webhooks', part: null },
    nav: { title: 'Webhooks', icon: 'webhook', group: 'System', key: 'w' },
    rank: 12,
    tag: 'operations',
    example: 'alerts',
    change: 'webhooks',
    inSnapshot: false,
  },
  settings: {
    ...usual,
    words: 'settings',
    paths: [],
    parts: { 'fallback-model': null, 'change-policy': null },
    screen: null,
    nav: null,
    rank: null,
    tag: null,
    example: null,
    change: null,
    inSnapshot: false,
  },
  change_request: {
    ...usual,
    words: 'change request',
    paths: ['change-requests'],
    screen: { name: 'history', part: 'requests' },
    nav: null,
    rank: null,
    tag: 'history',
    example: null,
    change: null,
    inSnapshot: false,
    draftable: false,
  },
} as const satisfies Record<string, NounFacts>;

export type Noun = keyof typeof nouns;

export const isNoun = (text: string): text is Noun => Object.hasOwn(nouns, text);

/** In the order of the table. */
export const allNouns: readonly (NounFacts & Readonly<{ noun: Noun }>)[] = Object.entries(
  nouns,
).flatMap(([noun, facts]) => (isNoun(noun) ? Object.assign({ noun }, facts) : []));

/** The nouns of the configuration. Change requests are not compared and not restored. */
export const configNouns: readonly Noun[] = allNouns
  .map(({ noun }) => noun)
  .filter((noun) => noun !== 'change_request');

type RankedNoun = {
  [N in Noun]: (typeof nouns)[N]['rank'] extends null ? never : N;
}[Noun];

const isRanked = (noun: Noun): noun is RankedNoun => nouns[noun].rank !== null;

/** In order of rank. */
export const rankedNouns: readonly RankedNoun[] = configNouns
  .filter(isRanked)
  .toSorted((one, other) => nouns[one].rank - nouns[other].rank);

export type SnapshotNoun = {
  [N in Noun]: (typeof nouns)[N]['inSnapshot'] extends true ? N : never;
}[Noun];

export const isSnapshotNoun = (noun: Noun): noun is SnapshotNoun => nouns[noun].inSnapshot;

export type RemoteNoun = {
  [N in Noun]: (typeof nouns)[N]['remote'] extends null ? never : N;
}[Noun];

const isRemote = (noun: Noun): noun is RemoteNoun => nouns[noun].remote !== null;

export const remoteNouns: readonly RemoteNoun[] = configNouns.filter(isRemote);

/** By the segment before the id. */
export const nounOfPath = (segment: string): Noun | null =>
  allNouns.find(({ paths }) => paths.includes(segment))?.noun ?? null;

export const draftablePaths: readonly string[] = allNouns
  .filter(({ draftable }) => draftable)
  .flatMap(({ paths, parts }) => [paths, Object.keys(parts)].flat());
