// What a change of a plan is to the makers of steps, and what they share.

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
  /** The principal of that name, in the configuration or in the files. */
  principalNamed: (name: string) => StoredName;
  /** Takes a secret for the vault and answers its ref. */
  vaulted: (secret: Omit<Secret, 'ref'>) => string;
  fingerprint: (text: string) => string;
}>;

export type PlanStep = ImportStep<PlainCommand>;

/** What refers to resources of its own list is made `later`, when all of them are there. */
export type Made = Readonly<{ steps: readonly PlanStep[]; later?: readonly PlanStep[] }>;

/** `id` is null for what is made. `set` answers the value where the field changes, undefined where it does not. */
export type Putting = Readonly<{
  name: string;
  at: number;
  id: number | null;
  /** Of the files, with defaults. */
  fields: Fields;
  /** As they stand. */
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
