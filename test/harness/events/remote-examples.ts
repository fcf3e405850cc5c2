// Builds the details of MCP servers and A2A agents for examples.

import type { AgentDetails } from '../../../events/a2a-agent.ts';
import type { McpServerDetails } from '../../../events/mcp-server.ts';
import type { Remote } from '../../../events/remote.ts';

const remoteAt = (name: string, url: string): Remote => ({
  name,
  url,
  description: null,
  auth_header: 'authorization',
  auth_scheme: 'Bearer',
  enabled: true,
});

export const mcpServerAt = (name: string, url: string): McpServerDetails => ({
  ...remoteAt(name, url),
  transport: 'http',
});

export const agentAt = (name: string, url: string): AgentDetails => ({
  ...remoteAt(name, url),
  protocol_version: '0.3',
});
