// What the palette finds besides screens: the entities of the configuration, asked for when it opens.

import { listAgents } from '../api/a2a-agents.ts';
import { listFrontendModels } from '../api/frontend-models.ts';
import { listKeys } from '../api/keys.ts';
import { listMcpServers } from '../api/mcp-servers.ts';
import { listModels } from '../api/models.ts';
import { listPools } from '../api/pools.ts';
import { listPrincipals } from '../api/principals.ts';
import { listPromptClasses } from '../api/prompt-classes.ts';
import { listProviders } from '../api/providers.ts';
import { listRoles } from '../api/roles.ts';
import { listTokens } from '../api/tokens.ts';

export type Found = Readonly<{
  kind: string;
  name: string;
  screen: string;
  /** Where it is on its screen. */
  rest: readonly string[];
  /** What it is found by besides, such as the prefix of a key. */
  also: string;
}>;

type Named = Readonly<{ id: number; name: string }>;

type Source = Readonly<{
  kind: string;
  screen: string;
  /** What stands before the id in its address. */
  part?: string;
  list: (signal: AbortSignal) => Promise<readonly (Named & Readonly<{ also?: string | null }>)[]>;
}>;

const sources: readonly Source[] = [
  {
    kind: 'Provider',
    screen: 'providers',
    list: async (signal) =>
      (await listProviders(signal)).map(({ id, name, api_base }) => ({ id, name, also: api_base })),
  },
  { kind: 'Model', screen: 'models', list: listModels },
  { kind: 'Frontend model', screen: 'frontend-models', list: listFrontendModels },
  { kind: 'Pool', screen: 'frontend-models', part: 'pools', list: listPools },
  { kind: 'Prompt class', screen: 'prompt-classes', list: listPromptClasses },
  {
    kind: 'Principal',
    screen: 'principals',
    list: async (signal) =>
      (await listPrincipals(signal)).map(({ id, name, email }) => ({ id, name, also: email })),
  },
  { kind: 'Role', screen: 'roles', list: listRoles },
  {
    kind: 'API key',
    screen: 'keys',
    list: async (signal) =>
      (await listKeys(signal)).map(({ id, name, prefix }) => ({ id, name, also: prefix })),
  },
  {
    kind: 'Admin token',
    screen: 'tokens',
    list: async (signal) =>
      (await listTokens(signal)).map(({ id, name, prefix }) => ({ id, name, also: prefix })),
  },
  { kind: 'MCP server', screen: 'mcp-servers', list: listMcpServers },
  { kind: 'Agent', screen: 'agents', list: listAgents },
];

/** Those that can be listed; one list that cannot does not cost the others. */
export async function findEntities(signal: AbortSignal): Promise<readonly Found[]> {
  const lists = await Promise.allSettled(
    sources.map(async ({ kind, screen, part, list }) =>
      (await list(signal)).map(({ id, name, also }) => ({
        kind,
        screen,
        name,
        rest: [...(part === undefined ? [] : [part]), String(id)],
        also: also ?? '',
      })),
    ),
  );
  return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []));
}
