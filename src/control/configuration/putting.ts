// Defines what each maker of steps gets: the change and the shared sources.

import type { StoredName } from '../../../events/principal.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { Secret } from '../../db/vault.ts';
import type { PlainCommand } from '../../deciders/decide.ts';
import type { Fields } from '../../deciders/reconcile/records.ts';
import type { ImportStep } from '../../deciders/reconcile/step.ts';
import { refuse } from '../../lib/refusal.ts';
import type { Refusal } from '../../lib/refusal.ts';
import type { Declared } from './format.ts';

export type StepSources = Readonly<{
  state: ConfigState;
  files: Declared;
  /** In the configuration or in the files. */
  principalNamed: (name: string) => StoredName;
  /** Returns the ref. */
  vaulted: (secret: Omit<Secret, 'ref'>) => string;
  fingerprint: (text: string) => string;
  nowMs: number;
}>;

export type PlanStep = ImportStep<PlainCommand>;

/** Steps in `later` refer to resources of the same list, so they run after all of these exist. */
export type Made = Readonly<{ steps: readonly PlanStep[]; later?: readonly PlanStep[] }>;

/**
 * `id` is null for a new resource. `set` returns the value of a changed field, otherwise undefined.
 */
export type Putting = Readonly<{
  name: string;
  at: number;
  id: number | null;
  /** From the files, with defaults. */
  fields: Fields;
  /** The current fields. */
  held: Fields;
  changes: (field: string) => boolean;
  set: <Value>(field: string, value: Value) => Value | undefined;
}>;

export type Maker = (put: Putting, sources: StepSources) => Made | Refusal;

export const commandStep = (label: string, command: PlainCommand): Made => ({
  steps: [{ step: 'command', label, command }],
});

export const unchangeable = (field: string): Refusal =>
  refuse('conflict', `${field} cannot be changed; give the resource another name`, {
    param: field,
  });
