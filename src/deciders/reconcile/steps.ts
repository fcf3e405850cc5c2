// The rules of an import and of an apply of declarative files: each step is decided by the rules of the noun that it is about, on the
// state that the steps before it lead to, and all of them are one decision.

import { streamOf } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { asPlanned } from '../changes/changes.ts';
import type { Decision } from '../decision.ts';
import { importNamedKey, importPrincipal, importRole, revokeKey } from './caller.ts';
import { importNamedModel, importNamedProvider } from './named-serving.ts';
import { importModel, importProvider } from './provider.ts';
import { removeAll } from './removal.ts';
import {
  importChangePolicy,
  importFallback,
  importFrontendModel,
  importPool,
  importPromptClass,
  importRules,
} from './routing.ts';
import type { ImportStep } from './step.ts';
import { importAgent, importMcpServer } from './tools.ts';
import { createUnfolding } from './unfolding.ts';
import type { Unfolding } from './unfolding.ts';

export type ImportCommand =
  | Readonly<{ type: 'ImportConfig'; steps: readonly ImportStep[] }>
  | Readonly<{
      type: 'ApplyConfiguration';
      steps: readonly ImportStep[];
      /** What the steps came to when they were planned. */
      events: readonly GwEvent[];
    }>;

/** The refusal says which entity it is about. */
export function decideImport(state: ConfigState, command: ImportCommand): Decision {
  const unfolded = unfoldSteps(state, command.steps);
  if ('refused' in unfolded) return unfolded;
  return command.type === 'ImportConfig' ? unfolded.events : asPlanned(unfolded.events, command);
}

/** What the steps come to: their events, how many each of them causes, and the state behind them. */
export type UnfoldedSteps = Readonly<{
  events: readonly GwEvent[];
  counts: readonly number[];
  state: ConfigState;
}>;

export function unfoldSteps(
  state: ConfigState,
  steps: readonly ImportStep[],
): UnfoldedSteps | Refusal {
  const on = createUnfolding(state);
  const counts: number[] = [];
  for (const step of steps) {
    const before = on.events().length;
    const refusal = takeStep(on, step);
    if (refusal !== null) {
      const param = step.at === undefined ? refusal.param : placeIn(step.at, refusal);
      return { ...refusal, param, message: `${labelOf(step)}: ${refusal.message}` };
    }
    counts.push(on.events().length - before);
  }
  return { events: on.events(), counts, state: on.state() };
}

const placeIn = (at: string, { param }: Refusal): string =>
  param === null ? at : `${at}.${param}`;

function takeStep(on: Unfolding, step: ImportStep): Refusal | null {
  switch (step.step) {
    case 'provider':
      return importProvider(on, step);
    case 'model':
      return importModel(on, step);
    case 'pool':
      return importPool(on, step);
    case 'frontend_model':
      return importFrontendModel(on, step);
    case 'rules':
      return importRules(on, step);
    case 'role':
      return importRole(on, step);
    case 'principal':
      return importPrincipal(on, step);
    case 'prompt_class':
      return importPromptClass(on, step);
    case 'fallback':
      return importFallback(on, step);
    case 'named_provider':
      return importNamedProvider(on, step);
    case 'named_model':
      return importNamedModel(on, step);
    case 'key':
      return importNamedKey(on, step);
    case 'revoke_key':
      return revokeKey(on, step);
    case 'mcp_server':
      return importMcpServer(on, step);
    case 'agent':
      return importAgent(on, step);
    case 'change_policy':
      return importChangePolicy(on, step);
    case 'remove': {
      const [kept] = removeAll(on, step.streams);
      return kept === undefined ? null : refuse('conflict', `${kept.stream}: ${kept.message}`);
    }
    case 'applied':
      return on.take([
        { stream: streamOf('settings', 1), type: 'ConfigurationApplied', data: step.data },
      ]);
  }
}

function labelOf(step: ImportStep): string {
  switch (step.step) {
    case 'provider':
      return `provider ${step.name ?? step.endpoint.api_base}`;
    case 'rules':
      return `frontend model ${step.frontendModel}`;
    case 'principal':
      return `principal ${step.label}`;
    case 'key':
    case 'revoke_key':
      return `key ${step.label}`;
    case 'fallback':
      return 'fallback_model';
    case 'change_policy':
      return 'change_policy';
    case 'remove':
      return 'delete';
    case 'applied':
      return 'settings';
    case 'named_provider':
      return `provider ${step.name}`;
    case 'named_model':
      return `model ${step.name}`;
    case 'mcp_server':
      return `MCP server ${step.name}`;
    case 'agent':
      return `A2A agent ${step.name}`;
    case 'model':
    case 'pool':
    case 'frontend_model':
    case 'role':
    case 'prompt_class':
      return `${step.step.replace('_', ' ')} ${step.name}`;
  }
}
