// What an import asks for, one entity a step, by name: that it be there and be so. What a step does not speak of is left alone,
// so that an import can be run again beside changes that people made.

import type { FlowControl } from '../../../events/model.ts';
import type { StoredName } from '../../../events/principal.ts';
import type { StoredExample } from '../../../events/prompt-class.ts';
import type { Endpoint, StoredCredential } from '../../../events/provider.ts';
import type { Permission } from '../../../projections/config/role.ts';
import type { Budget, Limits } from '../../../projections/config/principal.ts';
import type {
  PoolPolicy,
  PrincipalKind,
  PromptClassTier,
  RuleAction,
} from '../../lib/vocabulary.ts';
import type { GivenConditions } from '../../conditions/schemas.ts';
import type { ModelFields } from '../model.ts';

/**
 * A provider as a step names it. A null credential is one that the file does not name: it is not changed. `otherCredentials` are the
 * fingerprints of those that the file names for other entries: a step neither uses nor changes a provider that has one of them.
 */
export type ImportedEndpoint = Readonly<{
  endpoint: Endpoint;
  credential: StoredCredential | null;
  otherCredentials: readonly string[];
}>;

export type ProviderStep = ImportedEndpoint &
  Readonly<{
    step: 'provider';
    /** Null: `defaultName` is taken, numbered where that is held. */
    name: string | null;
    defaultName: string;
    kind: 'static' | 'cloud';
    catalogueKey: string | null;
    /** What the import has it serve: by these, a provider whose auth changed is found again. */
    serves: readonly Readonly<{ models: readonly string[]; upstreamModel: string }>[];
  }>;

export type ModelStep = Readonly<{
  step: 'model';
  name: string;
  /** The name that it had while it was the only one of that name. */
  formerName: string | null;
  fields: ModelFields;
  backend:
    | (ImportedEndpoint & Readonly<{ upstreamModel: string; defaultMaxTokens: number | null }>)
    | null;
  flowControl: Partial<FlowControl>;
}>;

export type PoolStep = Readonly<{
  step: 'pool';
  name: string;
  description: string | null | undefined;
  policy: PoolPolicy | null | undefined;
  members: readonly Readonly<{ model: string; weight: number }>[];
}>;

export type FrontendModelStep = Readonly<{
  step: 'frontend_model';
  name: string;
  description: string | null | undefined;
  maxModelLen: number | null | undefined;
  /** Names of models and pools. */
  defaultTargets: readonly string[];
}>;

/** All of it is said: what is null or empty is not asked for. */
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

/** The whole list, once everything that a rule can name is there. */
export type RulesStep = Readonly<{
  step: 'rules';
  frontendModel: string;
  rules: readonly ImportedRule[];
}>;

export type RoleStep = Readonly<{
  step: 'role';
  name: string;
  description: string | null | undefined;
  /** All that it grants: others are revoked. */
  permissions: readonly Permission[];
}>;

export type ImportedKey = Readonly<{
  name: string;
  prefix: string;
  /** Of the vault item that is made for it if no key has it. */
  verifierRef: string;
  /** Of the vault items that hold this very verifier. */
  heldRefs: readonly string[];
  expiresAt: string | null;
}>;

export type PrincipalStep = Readonly<{
  step: 'principal';
  /** As it is told to people. */
  label: string;
  name: StoredName;
  kind: PrincipalKind;
  /** The role that tells a principal which an import made; null: any of that name is meant. */
  mark: string | null;
  /** All roles that it holds, or those that it must hold. */
  roles: Readonly<{ all: boolean; names: readonly string[] }>;
  limits: Limits | null;
  budget: (Budget & Readonly<{ initialTokensUsed: number }>) | null;
  keys: readonly ImportedKey[];
}>;

export type PromptClassStep = Readonly<{
  step: 'prompt_class';
  name: string;
  description: string | null;
  tier: PromptClassTier;
  minMargin: number;
  refines: readonly string[];
  examples: readonly StoredExample[];
}>;

export type FallbackStep = Readonly<{ step: 'fallback'; model: string }>;

export type ImportStep =
  | ProviderStep
  | ModelStep
  | PoolStep
  | FrontendModelStep
  | RulesStep
  | RoleStep
  | PrincipalStep
  | PromptClassStep
  | FallbackStep;
