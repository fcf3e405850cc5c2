// Defines the steps of an import or an apply of declarative files, one entity per step. Undefined
// members stay unchanged, so a step can run again without overwriting other changes.

import type { GwEvent } from '../../../events/catalogue.ts';
import type { FlowControl } from '../../../events/model.ts';
import type { StoredName } from '../../../events/principal.ts';
import type { StoredExample } from '../../../events/prompt-class.ts';
import type { Endpoint, StoredCredential } from '../../../events/provider.ts';
import type { Permission } from '../../../projections/config/role.ts';
import type { Limits } from '../../../projections/config/principal.ts';
import type {
  PoolPolicy,
  PrincipalKind,
  PromptClassTier,
  RuleAction,
} from '../../lib/vocabulary.ts';
import type { GivenConditions } from '../../conditions/schemas.ts';
import type { BudgetGoal } from '../callers/budget.ts';
import type { ModelFields } from '../model.ts';

/**
 * A null credential is not in the file and stays unchanged. `otherCredentials` are the fingerprints
 * of credentials that the file gives to other entries. A step neither uses nor changes a provider
 * that has one of them.
 */
export type ImportedEndpoint = Readonly<{
  endpoint: Endpoint;
  credential: StoredCredential | null;
  otherCredentials: readonly string[];
}>;

export type ProviderStep = ImportedEndpoint &
  Readonly<{
    step: 'provider';
    /** Null uses `defaultName`, with a number appended if it is taken. */
    name: string | null;
    defaultName: string;
    kind: 'static' | 'cloud';
    catalogueKey: string | null;
    /** They identify a provider whose auth changed. */
    serves: readonly Readonly<{ models: readonly string[]; upstreamModel: string }>[];
  }>;

export type ModelStep = Readonly<{
  step: 'model';
  name: string;
  /** The name from when no other model shared it. */
  formerName: string | null;
  fields: ModelFields;
  backend:
    | (ImportedEndpoint & Readonly<{ upstreamModel: string; defaultMaxTokens: number | null }>)
    | null;
  flowControl: Partial<FlowControl>;
}>;

/** `backend` null detaches the model. */
export type NamedModelStep = Known &
  Readonly<{
    step: 'named_model';
    name: string;
    fields: ModelFields;
    backend?:
      | Readonly<{ provider: string; upstreamModel: string; defaultMaxTokens: number | null }>
      | null
      | undefined;
    flowControl: Partial<FlowControl>;
  }>;

export type PoolStep = Known &
  Readonly<{
    step: 'pool';
    name: string;
    description?: string | null | undefined;
    policy?: PoolPolicy | null | undefined;
    members?: readonly Readonly<{ model: string; weight: number }>[] | undefined;
  }>;

export type FrontendModelStep = Known &
  Readonly<{
    step: 'frontend_model';
    name: string;
    description?: string | null | undefined;
    maxModelLen?: number | null | undefined;
    defaultTargets?: readonly string[] | undefined;
  }>;

/** Complete: null or empty members are unset. */
export type ImportedRule = Readonly<{
  name: string | null;
  enabled: boolean;
  action: RuleAction;
  targets: readonly string[];
  deny_status: number | null;
  deny_message: string | null;
  /** The name of a frontend model. */
  jump_to: string | null;
  tag: string | null;
  principals: readonly StoredName[];
  conditions: Omit<GivenConditions, 'principals'>;
}>;

/** Runs after everything that a rule can name exists. */
export type RulesStep = Readonly<{
  step: 'rules';
  frontendModel: string;
  rules: readonly ImportedRule[];
}>;

export type RoleStep = Known &
  Readonly<{
    step: 'role';
    name: string;
    description?: string | null | undefined;
    /** Other permissions are revoked. */
    permissions?: readonly Permission[] | undefined;
  }>;

export type ImportedKey = Readonly<{
  name: string;
  prefix: string;
  /** Created if no key has this verifier. */
  verifierRef: string;
  heldRefs: readonly string[];
  expiresAt: string | null;
}>;

export type PrincipalStep = Known &
  Readonly<{
    step: 'principal';
    label: string;
    name: StoredName;
    kind: PrincipalKind;
    /** The role of principals that an import created; null matches any principal of that name. */
    mark: string | null;
    /** The exact roles, or the minimum. */
    roles?: Readonly<{ all: boolean; names: readonly string[] }> | undefined;
    /** Null clears them. */
    limits?: Limits | null | undefined;
    budget?: BudgetGoal | null | undefined;
    keys: readonly ImportedKey[];
  }>;

/** The key was created elsewhere. */
export type KeyStep = Readonly<{
  step: 'key';
  label: string;
  principal: StoredName;
  key: Omit<ImportedKey, 'heldRefs'>;
}>;

export type PromptClassStep = Known &
  Readonly<{
    step: 'prompt_class';
    name: string;
    description?: string | null | undefined;
    tier?: PromptClassTier | undefined;
    minMargin?: number | undefined;
    refines?: readonly string[] | undefined;
    examples: readonly StoredExample[];
  }>;

export type FallbackStep = Readonly<{ step: 'fallback'; model: string | null }>;

/** Needs no lookup by name. `label` is its name in messages. */
export type CommandStep<Own> = Readonly<{ step: 'command'; label: string; command: Own }>;

/** Skips entities that no longer exist. */
export type RemoveStep = Readonly<{ step: 'remove'; streams: readonly string[] }>;

/** Records the fields that the files of a set now manage. */
export type AppliedStep = Readonly<{
  step: 'applied';
  data: Extract<GwEvent, { type: 'ConfigurationApplied' }>['data'];
}>;

/**
 * `id` is the entity, which may have another name; null creates a new one. Undefined uses the
 * entity of that name, or creates it.
 */
type Known = Readonly<{ id?: number | null | undefined }>;

/** `at` is a path in declarative files, such as `models.3`, for messages. */
export type ImportStep<Own = never> = (OneStep | CommandStep<Own>) & Readonly<{ at?: string }>;

type OneStep =
  | NamedModelStep
  | KeyStep
  | RemoveStep
  | AppliedStep
  | ProviderStep
  | ModelStep
  | PoolStep
  | FrontendModelStep
  | RulesStep
  | RoleStep
  | PrincipalStep
  | PromptClassStep
  | FallbackStep;
