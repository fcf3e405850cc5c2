// ConfigState: the whole configuration as a pure fold of the log. Commands decide on it, read models and snapshots are derived
// from it, time travel is a fold that stops earlier. A stream is an entity; each noun's file says how an event changes one.

import { agentEvents } from '../../events/a2a-agent.ts';
import { adminTokenEvents } from '../../events/admin-token.ts';
import { apiKeyEvents } from '../../events/api-key.ts';
import { changeRequestEvents } from '../../events/change-request.ts';
import { parseStream, touchesSnapshot } from '../../events/catalogue.ts';
import type { FoldedEvent, Noun } from '../../events/catalogue.ts';
import { frontendModelEvents } from '../../events/frontend-model.ts';
import { mcpServerEvents } from '../../events/mcp-server.ts';
import { modelEvents } from '../../events/model.ts';
import { poolEvents } from '../../events/pool.ts';
import { principalEvents } from '../../events/principal.ts';
import { promptClassEvents } from '../../events/prompt-class.ts';
import { providerEvents } from '../../events/provider.ts';
import { roleEvents } from '../../events/role.ts';
import { settingsEvents } from '../../events/settings.ts';
import { snapshotVersion } from '../../src/lib/snapshot-version.ts';
import { evolveAgent } from './a2a-agent.ts';
import type { Agent } from './a2a-agent.ts';
import { evolveAdminToken } from './admin-token.ts';
import type { AdminToken } from './admin-token.ts';
import { evolveApiKey } from './api-key.ts';
import type { ApiKey } from './api-key.ts';
import { evolveChangeRequest } from './change-request.ts';
import type { ChangeRequest } from './change-request.ts';
import { evolveMcpServer } from './mcp-server.ts';
import type { McpServer } from './mcp-server.ts';
import { evolveFrontendModel, frontendModelParts } from './frontend-model.ts';
import type { FrontendModel } from './frontend-model.ts';
import { evolveModel } from './model.ts';
import type { Model } from './model.ts';
import { evolvePool, poolParts } from './pool.ts';
import type { Pool } from './pool.ts';
import { evolvePrincipal } from './principal.ts';
import type { Principal } from './principal.ts';
import { evolvePromptClass } from './prompt-class.ts';
import type { PromptClass } from './prompt-class.ts';
import { evolveProvider } from './provider.ts';
import type { Provider } from './provider.ts';
import { evolveRole } from './role.ts';
import type { Role } from './role.ts';
import { evolveSettings } from './settings.ts';
import type { Settings } from './settings.ts';
import { draftSlice, emptySlice, evolveSlice, sliceOf } from './slice.ts';
import type { Slice, SliceDraft } from './slice.ts';

/** Raised when an event's meaning to the fold changes: what was derived from another fold is not this one's. */
export const foldVersion = 6;

export type Slices = Readonly<{
  principal: Slice<Principal>;
  role: Slice<Role>;
  api_key: Slice<ApiKey>;
  admin_token: Slice<AdminToken>;
  provider: Slice<Provider>;
  model: Slice<Model>;
  frontend_model: Slice<FrontendModel>;
  pool: Slice<Pool>;
  prompt_class: Slice<PromptClass>;
  mcp_server: Slice<McpServer>;
  agent: Slice<Agent>;
  settings: Slice<Settings>;
  change_request: Slice<ChangeRequest>;
}>;

/**
 * `position` and `hash` are those of the last event folded; `version` is the snapshot version: the position of the last event
 * that touched the snapshot, and the epoch.
 */
export type ConfigState = Readonly<{ position: number; hash: string; version: number }> & Slices;

export const emptyState: ConfigState = {
  position: 0,
  hash: '',
  version: 0,
  principal: emptySlice(),
  role: emptySlice(),
  api_key: emptySlice(),
  admin_token: emptySlice(),
  provider: emptySlice(),
  model: emptySlice(),
  frontend_model: emptySlice(),
  pool: emptySlice(),
  prompt_class: emptySlice(),
  mcp_server: emptySlice(),
  agent: emptySlice(),
  settings: emptySlice(),
  change_request: emptySlice(),
};

/** The state after `events`, which follow `state.position` without a gap. */
export function fold(state: ConfigState, events: readonly FoldedEvent[]): ConfigState {
  const draft = openDraft(state);
  for (const event of events) applyEvent(draft, event);
  return closeDraft(draft);
}

type SliceEntity<S> = S extends Slice<infer Entity> ? Entity : never;
/** A state under construction, for folds that look at the state between two events. */
export type Draft = { position: number; hash: string; version: number } & {
  readonly [N in Noun]: SliceDraft<SliceEntity<Slices[N]>>;
};

export const openDraft = (state: ConfigState): Draft => ({
  position: state.position,
  hash: state.hash,
  version: state.version,
  principal: draftSlice(state.principal),
  role: draftSlice(state.role),
  api_key: draftSlice(state.api_key),
  admin_token: draftSlice(state.admin_token),
  provider: draftSlice(state.provider),
  model: draftSlice(state.model),
  frontend_model: draftSlice(state.frontend_model),
  pool: draftSlice(state.pool),
  prompt_class: draftSlice(state.prompt_class),
  mcp_server: draftSlice(state.mcp_server),
  agent: draftSlice(state.agent),
  settings: draftSlice(state.settings),
  change_request: draftSlice(state.change_request),
});

/** The draft as a state. It shares the draft's maps: valid until the next event is applied. */
export const closeDraft = (draft: Draft): ConfigState => ({
  position: draft.position,
  hash: draft.hash,
  version: draft.version,
  principal: sliceOf(draft.principal),
  role: sliceOf(draft.role),
  api_key: sliceOf(draft.api_key),
  admin_token: sliceOf(draft.admin_token),
  provider: sliceOf(draft.provider),
  model: sliceOf(draft.model),
  frontend_model: sliceOf(draft.frontend_model),
  pool: sliceOf(draft.pool),
  prompt_class: sliceOf(draft.prompt_class),
  mcp_server: sliceOf(draft.mcp_server),
  agent: sliceOf(draft.agent),
  settings: sliceOf(draft.settings),
  change_request: sliceOf(draft.change_request),
});

export function applyEvent(draft: Draft, event: FoldedEvent): void {
  if (event.position !== draft.position + 1) {
    throw new Error(`event ${event.position} does not follow position ${draft.position}`);
  }
  const { noun, id } = parseStream(event.stream);
  evolveNoun(draft, noun, { id, event });
  draft.position = event.position;
  draft.hash = event.hash;
  if (touchesSnapshot(event.type)) {
    const epoch = sliceOf(draft.settings).byId.get(1)?.epoch ?? 0;
    draft.version = snapshotVersion({ epoch, position: event.position });
  }
}

function evolveNoun(draft: Draft, noun: Noun, { id, event }: { id: number; event: FoldedEvent }) {
  switch (noun) {
    case 'principal':
      return evolveSlice(draft[noun], id, event, {
        types: principalEvents,
        evolve: evolvePrincipal,
      });
    case 'role':
      return evolveSlice(draft[noun], id, event, { types: roleEvents, evolve: evolveRole });
    case 'api_key':
      return evolveSlice(draft[noun], id, event, { types: apiKeyEvents, evolve: evolveApiKey });
    case 'admin_token':
      return evolveSlice(draft[noun], id, event, {
        types: adminTokenEvents,
        evolve: evolveAdminToken,
      });
    case 'provider':
      return evolveSlice(draft[noun], id, event, { types: providerEvents, evolve: evolveProvider });
    case 'model':
      return evolveSlice(draft[noun], id, event, { types: modelEvents, evolve: evolveModel });
    case 'frontend_model':
      return evolveSlice(draft[noun], id, event, {
        types: frontendModelEvents,
        evolve: evolveFrontendModel,
        parts: frontendModelParts,
      });
    case 'pool':
      return evolveSlice(draft[noun], id, event, {
        types: poolEvents,
        evolve: evolvePool,
        parts: poolParts,
      });
    case 'prompt_class':
      return evolveSlice(draft[noun], id, event, {
        types: promptClassEvents,
        evolve: evolvePromptClass,
      });
    case 'mcp_server':
      return evolveSlice(draft[noun], id, event, {
        types: mcpServerEvents,
        evolve: evolveMcpServer,
      });
    case 'agent':
      return evolveSlice(draft[noun], id, event, { types: agentEvents, evolve: evolveAgent });
    case 'settings':
      return evolveSlice(draft[noun], id, event, { types: settingsEvents, evolve: evolveSettings });
    case 'change_request':
      return evolveSlice(draft[noun], id, event, {
        types: changeRequestEvents,
        evolve: evolveChangeRequest,
      });
  }
}

/** The version of a stream: the number of its events, 0 for one that never was. */
export const streamVersion = (state: ConfigState, stream: string): number => {
  const { noun, id } = parseStream(stream);
  return state[noun].versions.get(id) ?? 0;
};
