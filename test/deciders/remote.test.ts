// Tests commands on MCP servers and A2A agents, which follow the same rules.

import { describe, it } from 'node:test';

import type { GwEvent } from '../../events/catalogue.ts';
import type { StoredCredential } from '../../events/provider.ts';
import type { Command } from '../../src/deciders/decide.ts';
import { agentId } from '../../events/a2a-agent.ts';
import { mcpServerId } from '../../events/mcp-server.ts';
import { credentialOf } from '../harness/events/examples.ts';
import { given } from '../harness/events/test-log.ts';
import { agentAt, mcpServerAt } from '../harness/events/remote-examples.ts';

type Change = Readonly<{
  name?: string;
  url?: string;
  enabled?: boolean;
  credential?: StoredCredential | null;
  keepCredential?: boolean;
}>;
type Place = Readonly<{ name: string; url: string; credential?: StoredCredential | null }>;

const here = 'https://here.example/rpc';
const there = 'https://there.example/rpc';

/** The events and commands of one noun, so that both run the same examples. */
type Noun = Readonly<{
  what: string;
  created: (number: number, place: Place) => GwEvent;
  changed: (number: number, change: Change & Place) => GwEvent;
  credentialSet: (number: number, credential: StoredCredential) => GwEvent;
  credentialCleared: (number: number) => GwEvent;
  deleted: (number: number) => GwEvent;
  create: (place: Place) => Command;
  update: (number: number, change: Change) => Command;
  remove: (number: number) => Command;
}>;

const split = ({ credential, keepCredential = false, ...details }: Change) => ({
  details,
  credential,
  keepCredential,
});

const servers: Noun = {
  what: 'MCP server',
  created: (number, { name, url, credential = null }) => ({
    stream: `mcp_server-${number}`,
    type: 'McpServerCreated',
    data: { id: mcpServerId.parse(number), details: mcpServerAt(name, url), credential },
  }),
  changed: (number, { name, url, enabled = true }) => ({
    stream: `mcp_server-${number}`,
    type: 'McpServerChanged',
    data: { id: mcpServerId.parse(number), details: { ...mcpServerAt(name, url), enabled } },
  }),
  credentialSet: (number, credential) => ({
    stream: `mcp_server-${number}`,
    type: 'McpServerCredentialSet',
    data: { id: mcpServerId.parse(number), credential },
  }),
  credentialCleared: (number) => ({
    stream: `mcp_server-${number}`,
    type: 'McpServerCredentialCleared',
    data: { id: mcpServerId.parse(number) },
  }),
  deleted: (number) => ({
    stream: `mcp_server-${number}`,
    type: 'McpServerDeleted',
    data: { id: mcpServerId.parse(number) },
  }),
  create: ({ name, url, credential = null }) => ({
    type: 'CreateMcpServer',
    details: mcpServerAt(name, url),
    credential,
  }),
  update: (number, change) => ({
    type: 'UpdateMcpServer',
    id: mcpServerId.parse(number),
    ...split(change),
  }),
  remove: (number) => ({ type: 'DeleteMcpServer', id: mcpServerId.parse(number) }),
};

const agents: Noun = {
  what: 'A2A agent',
  created: (number, { name, url, credential = null }) => ({
    stream: `agent-${number}`,
    type: 'AgentCreated',
    data: { id: agentId.parse(number), details: agentAt(name, url), credential },
  }),
  changed: (number, { name, url, enabled = true }) => ({
    stream: `agent-${number}`,
    type: 'AgentChanged',
    data: { id: agentId.parse(number), details: { ...agentAt(name, url), enabled } },
  }),
  credentialSet: (number, credential) => ({
    stream: `agent-${number}`,
    type: 'AgentCredentialSet',
    data: { id: agentId.parse(number), credential },
  }),
  credentialCleared: (number) => ({
    stream: `agent-${number}`,
    type: 'AgentCredentialCleared',
    data: { id: agentId.parse(number) },
  }),
  deleted: (number) => ({
    stream: `agent-${number}`,
    type: 'AgentDeleted',
    data: { id: agentId.parse(number) },
  }),
  create: ({ name, url, credential = null }) => ({
    type: 'CreateAgent',
    details: agentAt(name, url),
    credential,
  }),
  update: (number, change) => ({
    type: 'UpdateAgent',
    id: agentId.parse(number),
    ...split(change),
  }),
  remove: (number) => ({ type: 'DeleteAgent', id: agentId.parse(number) }),
};

for (const noun of [servers, agents]) {
  const { what, created, changed, credentialSet, credentialCleared, deleted } = noun;
  const plain = created(1, { name: 'search', url: here });
  const secret = created(1, { name: 'search', url: here, credential: credentialOf('a') });

  describe(`an ${what}`, () => {
    it('is created with the next id, and not with a name that is held', () => {
      given([plain])
        .when(noun.create({ name: 'files', url: here, credential: credentialOf('a') }))
        .yields([created(2, { name: 'files', url: here, credential: credentialOf('a') })]);
      given([plain])
        .when(noun.create({ name: 'search', url: there }))
        .refuses('conflict', new RegExp(`${what} search exists`), 'name');
    });

    it('never gets the id of one that was deleted', () =>
      given([plain, deleted(1)])
        .when(noun.create({ name: 'search', url: here }))
        .yields([created(2, { name: 'search', url: here })]));

    it('changes what is given, and to what it is not at all', () => {
      given([secret])
        .when(noun.update(1, { name: 'find', enabled: false }))
        .yields([changed(1, { name: 'find', url: here, enabled: false })]);
      given([secret])
        .when(noun.update(1, { name: 'search', url: here, enabled: true }))
        .yields([]);
    });

    it('does not take a name that another holds', () =>
      given([plain, created(2, { name: 'files', url: here })])
        .when(noun.update(2, { name: 'search' }))
        .refuses('conflict', new RegExp(`${what} search exists`), 'name'));

    it('gets a credential, and loses one that it has', () => {
      given([plain])
        .when(noun.update(1, { credential: credentialOf('b') }))
        .yields([credentialSet(1, credentialOf('b'))]);
      given([secret])
        .when(noun.update(1, { credential: null }))
        .yields([credentialCleared(1)]);
      given([plain])
        .when(noun.update(1, { credential: null }))
        .yields([]);
    });

    it('takes its credential to another origin by a word alone, or with a new one', () => {
      given([secret])
        .when(noun.update(1, { url: there }))
        .refuses('invalid', /would send the stored credential to another origin/, 'url');
      given([secret])
        .when(noun.update(1, { url: there, keepCredential: true }))
        .yields([changed(1, { name: 'search', url: there })]);
      given([secret])
        .when(noun.update(1, { url: there, credential: credentialOf('b') }))
        .yields([changed(1, { name: 'search', url: there }), credentialSet(1, credentialOf('b'))]);
      given([secret])
        .when(noun.update(1, { url: there, credential: null }))
        .yields([changed(1, { name: 'search', url: there }), credentialCleared(1)]);
      given([plain])
        .when(noun.update(1, { url: there }))
        .yields([changed(1, { name: 'search', url: there })]);
      given([secret])
        .when(noun.update(1, { url: `${here}/v2` }))
        .yields([changed(1, { name: 'search', url: `${here}/v2` })]);
    });

    it('is deleted; one that does not exist is refused', () => {
      given([plain])
        .when(noun.remove(1))
        .yields([deleted(1)]);
      for (const command of [noun.remove(2), noun.update(2, {})]) {
        given([plain])
          .when(command)
          .refuses('absent', new RegExp(`${what} 2 does not exist`));
      }
    });
  });
}
