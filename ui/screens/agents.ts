// Defines the screen of A2A agents.

import { calling, list } from '../api/http/call.ts';
import { seen } from '../lib/saves/save.ts';
import { remoteScreen } from '../parts/remotes/remotes.ts';

const versions = ['1.0', '0.3'] as const;
const versionOf = (text: string) => ({
  protocol_version: versions.find((one) => one === text) ?? versions[0],
});

remoteScreen({
  screen: 'agents',
  about: 'A2A agents that principals can be allowed to call',
  noun: 'agent',
  logged: 'agent',
  plural: 'agents',
  teaches:
    'An agent is an external service that speaks A2A. Create one with its address and credential, then grant it to roles.',
  dialect: { field: 'protocol_version', label: 'Protocol', choices: versions },
  list: (signal) => list('/admin/a2a-agents', { signal }),
  create: (body, dialect) =>
    calling('POST', '/admin/a2a-agents', { body: { ...body, ...versionOf(dialect) } }),
  change: (one, body, dialect) =>
    calling('PATCH', '/admin/a2a-agents/{id}', {
      ...seen(one),
      body: { ...body, ...(dialect === undefined ? {} : versionOf(dialect)) },
    }),
  remove: (one) => calling('DELETE', '/admin/a2a-agents/{id}', seen(one)),
});
