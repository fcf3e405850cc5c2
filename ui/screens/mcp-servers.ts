// MCP servers: where tools are served, and with which credential.

import { call, list } from '../api/http/call.ts';
import type { RemoteKind } from '../parts/remotes/kind.ts';
import { RemotesScreen } from '../parts/remotes/remotes.ts';

const transports = ['http', 'sse'] as const;
const transportOf = (text: string): (typeof transports)[number] =>
  transports.find((one) => one === text) ?? 'http';

const servers: RemoteKind = {
  screen: 'mcp-servers',
  heading: 'MCP servers',
  about: 'Servers of tools that principals may be granted',
  noun: 'server',
  stream: 'mcp_server',
  one: 'an MCP server',
  plural: 'MCP servers',
  icon: 'wrench',
  teaches:
    'An MCP server offers tools. It is kept here with its credential, and granted to roles by its name.',
  path: '/admin/mcp-servers',
  dialect: { field: 'transport', label: 'Transport', choices: transports },
  dialectOf: (one) => ('transport' in one ? String(one.transport) : ''),
  list: (signal) => list('/admin/mcp-servers', { signal }),
  create: (body, dialect, change) =>
    call('POST', '/admin/mcp-servers', {
      body: { ...body, transport: transportOf(dialect) },
      ...change,
    }),
  update: (id, { body, dialect }, change) =>
    call('PATCH', '/admin/mcp-servers/{id}', {
      params: { id },
      body: { ...body, ...(dialect === undefined ? {} : { transport: transportOf(dialect) }) },
      ...change,
    }),
  remove: (id, change) => call('DELETE', '/admin/mcp-servers/{id}', { params: { id }, ...change }),
};

class ScreenMcpServers extends RemotesScreen {
  protected override readonly kind = servers;
}

customElements.define('gw-screen-mcp-servers', ScreenMcpServers);
