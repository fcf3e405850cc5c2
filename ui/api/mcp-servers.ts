// MCP servers, without their credentials.

import { call, list } from './http/call.ts';
import type { Change } from './http/call.ts';
import type { BodyOf, RowOf } from './http/routes.ts';

export type McpServer = RowOf<'/admin/mcp-servers'>;

export const listMcpServers = (signal?: AbortSignal) => list('/admin/mcp-servers', { signal });

export const createMcpServer = (body: BodyOf<'POST', '/admin/mcp-servers'>, change: Change = {}) =>
  call('POST', '/admin/mcp-servers', { body, ...change });

export const updateMcpServer = (
  id: number,
  body: BodyOf<'PATCH', '/admin/mcp-servers/{id}'>,
  change: Change = {},
) => call('PATCH', '/admin/mcp-servers/{id}', { params: { id }, body, ...change });

export const deleteMcpServer = (id: number, change: Change = {}) =>
  call('DELETE', '/admin/mcp-servers/{id}', { params: { id }, ...change });
