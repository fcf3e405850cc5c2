// MCP servers and A2A agents as declarative files ask for them.

import { agentDetails } from '../../../events/a2a-agent.ts';
import { mcpServerDetails } from '../../../events/mcp-server.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { decideAgent } from '../a2a-agent.ts';
import { decideMcpServer } from '../mcp-server.ts';
import type { AgentStep, McpServerStep } from './step.ts';
import type { Unfolding } from './unfolding.ts';

/** A file states all details of what it creates. */
export function importMcpServer(on: Unfolding, step: McpServerStep): Refusal | null {
  const { details, credential } = step;
  const held = on.state().mcp_server.byId.get(step.id ?? 0);
  const command =
    held === undefined
      ? ({
          type: 'CreateMcpServer',
          details: mcpServerDetails.parse(details),
          credential: credential ?? null,
        } as const)
      : ({
          type: 'UpdateMcpServer',
          id: held.id,
          details,
          credential,
          keepCredential: false,
        } as const);
  return on.take(decideMcpServer(on.state(), command));
}

export function importAgent(on: Unfolding, step: AgentStep): Refusal | null {
  const { details, credential } = step;
  const held = on.state().agent.byId.get(step.id ?? 0);
  const command =
    held === undefined
      ? ({
          type: 'CreateAgent',
          details: agentDetails.parse(details),
          credential: credential ?? null,
        } as const)
      : ({ type: 'UpdateAgent', id: held.id, details, credential, keepCredential: false } as const);
  return on.take(decideAgent(on.state(), command));
}
