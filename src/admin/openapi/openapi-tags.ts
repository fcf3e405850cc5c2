// Groups the operations of the OpenAPI document by the resource in their path.

import { allNouns } from '../../../events/nouns.ts';
import type { Route } from '../http/route.ts';

type Tag = Readonly<{ name: string; description: string }>;

const configuration = {
  principals: { name: 'Principals', description: 'Users and services, and their roles' },
  keys: { name: 'API keys', description: 'Keys of the data plane; shown only once, when created' },
  tokens: { name: 'Admin tokens', description: 'Tokens of the admin API, for CI and Terraform' },
  roles: { name: 'Roles', description: 'Named sets of permissions' },
  models: { name: 'Provider models', description: 'Models, and the providers that serve them' },
  providers: { name: 'Providers', description: 'Endpoints with a credential' },
  routing: { name: 'Routing', description: 'Frontend models, rules, pools and prompt classes' },
  limits: { name: 'Limits and budgets', description: 'Maximum usage of each principal' },
  remotes: { name: 'MCP servers and agents', description: 'Records of tools and agents' },
  usage: { name: 'Usage and prices', description: 'Usage and its cost' },
  files: {
    name: 'Configuration files',
    description: 'Plan, apply and export declarative configuration files',
  },
  history: { name: 'History', description: 'Changes and past configurations' },
  operations: { name: 'Operations', description: 'The fleet, the process and its settings' },
  sessions: { name: 'Sessions', description: 'Sign in and out' },
  proxies: { name: 'Proxy protocol', description: 'Calls that proxies make to the control plane' },
  process: { name: 'Process', description: 'Health checks and this document' },
} as const satisfies Record<string, Tag>;

const tagOfKey: Readonly<Record<string, Tag>> = configuration;

const tagsOfNouns = allNouns.flatMap(({ paths, parts, tag }) => {
  const found = tag === null ? undefined : tagOfKey[tag];
  const segments = [...paths, ...Object.keys(parts)];
  return found === undefined ? [] : segments.map((segment) => [segment, found] as const);
});

/** By the first segment of a path after /admin. */
const tagOfResource: Readonly<Record<string, Tag>> = {
  ...Object.fromEntries(tagsOfNouns),
  'fallback-model': configuration.models,
  'provider-catalogue': configuration.providers,
  routing: configuration.routing,
  budgets: configuration.limits,
  limits: configuration.limits,
  usage: configuration.usage,
  timeseries: configuration.usage,
  prices: configuration.usage,
  audit: configuration.history,
  history: configuration.history,
  snapshots: configuration.history,
  configuration: configuration.files,
  'change-sets': configuration.history,
  'change-policy': configuration.history,
  log: configuration.history,
  vault: configuration.history,
  config: configuration.operations,
  fleet: configuration.operations,
  health: configuration.operations,
  snapshot: configuration.operations,
  sessions: configuration.operations,
  deployment: configuration.operations,
  import: configuration.operations,
  login: configuration.sessions,
  auth: configuration.sessions,
  logout: configuration.sessions,
  session: configuration.sessions,
};

/** `keys` for `/admin/keys/{id}`, `healthz` for `/healthz`. */
export const resourceOf = ({ path }: Pick<Route, 'path'>): string =>
  path
    .replace(/^\/admin\//, '')
    .replace(/^\//, '')
    .split('/', 1)[0] ?? '';

export function tagOf(route: Pick<Route, 'path' | 'permission' | 'tag'>): string {
  if (route.tag !== undefined) return route.tag;
  if (route.permission === 'proxy_token') return configuration.proxies.name;
  return (tagOfResource[resourceOf(route)] ?? configuration.process).name;
}

/** In the order of their definition. */
export const tags = (routes: readonly Route[]): readonly Tag[] =>
  Object.values(configuration).filter(({ name }) => routes.some((route) => tagOf(route) === name));
