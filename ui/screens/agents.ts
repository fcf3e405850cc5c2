// Agents that speak A2A: where they answer, and with which credential.

import { call, list } from '../api/http/call.ts';
import type { RemoteKind } from '../parts/remotes/kind.ts';
import { RemotesScreen } from '../parts/remotes/remotes.ts';

const versions = ['1.0', '0.3'] as const;
const versionOf = (text: string): (typeof versions)[number] =>
  versions.find((one) => one === text) ?? '1.0';

const agents: RemoteKind = {
  screen: 'agents',
  heading: 'Agents',
  about: 'Agents that speak A2A, which principals may be granted',
  noun: 'agent',
  stream: 'agent',
  one: 'an agent',
  plural: 'agents',
  icon: 'bot',
  teaches:
    'An agent answers by the A2A protocol. It is kept here with its credential, and granted to roles by its name.',
  path: '/admin/a2a-agents',
  dialect: { field: 'protocol_version', label: 'Protocol', choices: versions },
  dialectOf: (one) => ('protocol_version' in one ? String(one.protocol_version) : ''),
  list: (signal) => list('/admin/a2a-agents', { signal }),
  create: (body, dialect, change) =>
    call('POST', '/admin/a2a-agents', {
      body: { ...body, protocol_version: versionOf(dialect) },
      ...change,
    }),
  update: (id, { body, dialect }, change) =>
    call('PATCH', '/admin/a2a-agents/{id}', {
      params: { id },
      body: { ...body, ...(dialect === undefined ? {} : { protocol_version: versionOf(dialect) }) },
      ...change,
    }),
  remove: (id, change) => call('DELETE', '/admin/a2a-agents/{id}', { params: { id }, ...change }),
};

class ScreenAgents extends RemotesScreen {
  protected override readonly kind = agents;
}

customElements.define('gw-screen-agents', ScreenAgents);
