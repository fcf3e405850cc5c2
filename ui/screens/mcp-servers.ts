// MCP servers: where tools are served, and with which credential.

import { calling, list } from '../api/http/call.ts';
import { seen } from '../lib/saves/save.ts';
import { remoteScreen } from '../parts/remotes/remotes.ts';

const transports = ['http', 'sse'] as const;
const transportOf = (text: string) => ({
  transport: transports.find((one) => one === text) ?? transports[0],
});

remoteScreen({
  screen: 'mcp-servers',
  heading: 'MCP servers',
  about: 'Servers of tools that principals may be granted',
  noun: 'server',
  logged: 'mcp_server',
  one: 'an MCP server',
  plural: 'MCP servers',
  icon: 'wrench',
  teaches:
    'An MCP server offers tools. It is kept here with its credential, and granted to roles by its name.',
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
