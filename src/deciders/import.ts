// The rules of an import: each step is decided by the rules of the noun that it is about, on the state that the steps before it
// lead to, and all of it is one decision.

import type { GwEvent } from '../../events/catalogue.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import type { Refusal } from '../lib/refusal.ts';
import type { Decision } from './decision.ts';
import { importPrincipal, importRole } from './import/caller.ts';
import { importModel, importProvider } from './import/provider.ts';
import {
  importFallback,
  importFrontendModel,
  importPool,
  importPromptClass,
  importRules,
} from './import/routing.ts';
import type { ImportStep } from './import/step.ts';
import { createUnfolding } from './import/unfolding.ts';
import type { Unfolding } from './import/unfolding.ts';

export type ImportCommand = Readonly<{ type: 'ImportConfig'; steps: readonly ImportStep[] }>;

/** The refusal says which entity it is about. */
export function decideImport(state: ConfigState, { steps }: ImportCommand): Decision {
  const unfolded = unfoldSteps(state, steps);
  return 'refused' in unfolded ? unfolded : unfolded.events;
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
    if (refusal !== null) return { ...refusal, message: `${labelOf(step)}: ${refusal.message}` };
    counts.push(on.events().length - before);
  }
  return { events: on.events(), counts, state: on.state() };
}

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
    case 'fallback':
      return 'fallback_model';
    case 'model':
    case 'pool':
    case 'frontend_model':
    case 'role':
    case 'prompt_class':
      return `${step.step.replace('_', ' ')} ${step.name}`;
  }
}
