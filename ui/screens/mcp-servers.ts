// Defines the screen of MCP servers.

import { calling, list } from '../api/http/call.ts';
import { seen } from '../lib/saves/save.ts';
import { remoteScreen } from '../parts/remotes/remotes.ts';

const transports = ['http', 'sse'] as const;
const transportOf = (text: string) => ({
  transport: transports.find((one) => one === text) ?? transports[0],
});

remoteScreen({
  screen: 'mcp-servers',
  about: 'Tool servers that principals can be allowed to use',
  noun: 'MCP server',
  logged: 'mcp_server',
  plural: 'MCP servers',
  teaches:
    'An MCP server offers tools to clients. Create one with its address and credential, then grant it to roles.',
  dialect: { field: 'transport', label: 'Transport', choices: transports },
  list: (signal) => list('/admin/mcp-servers', { signal }),
  create: (body, dialect) =>
    calling('POST', '/admin/mcp-servers', { body: { ...body, ...transportOf(dialect) } }),
  change: (one, body, dialect) =>
    calling('PATCH', '/admin/mcp-servers/{id}', {
      ...seen(one),
      body: { ...body, ...(dialect === undefined ? {} : transportOf(dialect)) },
    }),
  remove: (one) => calling('DELETE', '/admin/mcp-servers/{id}', seen(one)),
});
