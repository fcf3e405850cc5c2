// MCP servers, A2A agents and the deployment's settings on their way back.

import { streamOf } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { StoredCredential } from '../../../events/provider.ts';
import type { Agent } from '../../../projections/config/a2a-agent.ts';
import type { McpServer } from '../../../projections/config/mcp-server.ts';
import type { Settings } from '../../../projections/config/settings.ts';
import { snakeCase } from '../../lib/case.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { refuseLeak } from '../credential-leak.ts';
import { restoredCredential, sameCredential } from './credential.ts';
import type { Attainable, Loss, RestoreFacts, Restoring } from './kind.ts';

type Remote = Readonly<{ details: Readonly<{ url: string }>; credential: StoredCredential | null }>;

function attainable<Entity extends Remote>(
  wanted: Entity,
  held: Entity | undefined,
  { erased }: RestoreFacts,
): Attainable<Entity> {
  const isOneOrigin =
    held !== undefined &&
    refuseLeak({ from: held.details.url, to: wanted.details.url, param: '' }) === null;
  const standIn = isOneOrigin ? held.credential : null;
  const { credential, losses } = restoredCredential(wanted, { erased, standIn });
  return { goal: { ...wanted, credential }, losses };
}

export const mcpServers: Restoring<McpServer> = {
  attainable,
  changed: (held, { id, details, credential }) => {
    const stream = streamOf('mcp_server', id);
    const events: GwEvent[] = [];
    if (canonicalJson(details) !== canonicalJson(held.details)) {
      events.push({ stream, type: 'McpServerChanged', data: { id, details } });
    }
    if (sameCredential(credential, held.credential)) return events;
    if (credential === null) {
      return [...events, { stream, type: 'McpServerCredentialCleared', data: { id } }];
    }
    return [...events, { stream, type: 'McpServerCredentialSet', data: { id, credential } }];
  },
};

export const agents: Restoring<Agent> = {
  attainable,
  changed: (held, { id, details, credential }) => {
    const stream = streamOf('agent', id);
    const events: GwEvent[] = [];
    if (canonicalJson(details) !== canonicalJson(held.details)) {
      events.push({ stream, type: 'AgentChanged', data: { id, details } });
    }
    if (sameCredential(credential, held.credential)) return events;
    if (credential === null) {
      return [...events, { stream, type: 'AgentCredentialCleared', data: { id } }];
    }
    return [...events, { stream, type: 'AgentCredentialSet', data: { id, credential } }];
  },
};

/** Only the fallback model is restored: the rest belongs to the log and to who guards it, and goes on with them. */
export const settings: Restoring<Settings> = {
  attainable: (wanted, held) => {
    const { fallbackModelId } = wanted;
    const kept = Object.entries(held ?? wanted).filter(([key]) => key !== 'fallbackModelId');
    const losses = kept.flatMap(([key, value]): Loss[] => {
      const isSame = canonicalJson(value) === canonicalJson(Reflect.get(wanted, key));
      return isSame ? [] : [{ field: snakeCase(key), reason: 'kept' }];
    });
    return { goal: { ...(held ?? wanted), fallbackModelId }, losses };
  },
  /** They stand from the beginning. */
  created: () => [],
  changed: (held, { fallbackModelId: model_id }) =>
    model_id === held.fallbackModelId
      ? []
      : [{ stream: streamOf('settings', 1), type: 'FallbackModelSet', data: { model_id } }],
};
