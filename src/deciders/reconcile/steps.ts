// Decides an import or an apply of declarative files. Each step follows the rules of its noun, on
// the state after the previous steps. All form one decision.

import { streamOf } from '../../../events/catalogue.ts';
import type { GwEvent } from '../../../events/catalogue.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import { asPlanned } from '../changes/changes.ts';
import type { DecideOne } from '../changes/changes.ts';
import type { Decision } from '../decision.ts';
import { importNamedKey, importPrincipal, importRole } from './caller.ts';
import { importNamedModel } from './named-model.ts';
import { importModel, importProvider } from './provider.ts';
import { removeAll } from './removal.ts';
import {
  importFallback,
  importFrontendModel,
  importPool,
  importPromptClass,
  importRules,
} from './routing.ts';
import type { CommandStep, ImportStep } from './step.ts';
import { createUnfolding } from './unfolding.ts';
import type { Unfolding } from './unfolding.ts';

export type ImportCommand<Own = never> =
  | Readonly<{ type: 'ImportConfig'; steps: readonly ImportStep[] }>
  | Readonly<{
      type: 'ApplyConfiguration';
      steps: readonly ImportStep<Own>[];
      /** Those shown when the steps were planned. */
      events: readonly GwEvent[];
    }>;

/** A refusal names the entity. */
export function decideImport<Own>(
  state: ConfigState,
  command: ImportCommand<Own>,
  decide: DecideOne<Own>,
): Decision {
  const unfolded = unfoldSteps(state, command.steps, decide);
  if ('refused' in unfolded) return unfolded;
  return command.type === 'ImportConfig' ? unfolded.events : asPlanned(unfolded.events, command);
}

/** `counts` is per step. */
export type UnfoldedSteps = Readonly<{
  events: readonly GwEvent[];
  counts: readonly number[];
  state: ConfigState;
}>;

export function unfoldSteps<Own>(
  state: ConfigState,
  steps: readonly ImportStep<Own>[],
  decide: DecideOne<Own>,
): UnfoldedSteps | Refusal {
  const on = createUnfolding(state);
  const counts: number[] = [];
  for (const step of steps) {
    const before = on.events().length;
    const refusal =
      step.step === 'command' ? on.take(decide(on.state(), step.command)) : takeStep(on, step);
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

type NamedStep = Exclude<ImportStep, CommandStep<never>>;

function takeStep(on: Unfolding, step: NamedStep): Refusal | null {
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
    case 'named_model':
      return importNamedModel(on, step);
    case 'key':
      return importNamedKey(on, step);
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

function labelOf<Own>(step: ImportStep<Own>): string {
  switch (step.step) {
    case 'provider':
      return `provider ${step.name ?? step.endpoint.api_base}`;
    case 'rules':
      return `frontend model ${step.frontendModel}`;
    case 'principal':
      return `principal ${step.label}`;
    case 'key':
      return `key ${step.label}`;
    case 'command':
      return step.label;
    case 'fallback':
      return 'fallback_model';
    case 'remove':
      return 'delete';
    case 'applied':
      return 'settings';
    case 'named_model':
      return `model ${step.name}`;
    case 'model':
    case 'pool':
    case 'frontend_model':
    case 'role':
    case 'prompt_class':
      return `${step.step.replace('_', ' ')} ${step.name}`;
  }
}
