// What an import or an apply of declarative files asks for, one entity a step: that it is there and is so. An undefined member is left
// alone, so that a step can be made again without touching what people changed.

import type { GwEvent } from '../../../events/catalogue.ts';
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

/** A model that names its provider. `backend` null detaches it. */
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
    /** Names of models and pools. */
    defaultTargets?: readonly string[] | undefined;
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

export type RoleStep = Known &
  Readonly<{
    step: 'role';
    name: string;
    description?: string | null | undefined;
    /** All that it grants: others are revoked. */
    permissions?: readonly Permission[] | undefined;
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

export type PrincipalStep = Known &
  Readonly<{
    step: 'principal';
    /** As it is told to people. */
    label: string;
    name: StoredName;
    kind: PrincipalKind;
    /** The role that tells a principal which an import made; null: any of that name is meant. */
    mark: string | null;
    /** All roles that it holds, or those that it must hold. */
    roles?: Readonly<{ all: boolean; names: readonly string[] }> | undefined;
    /** Null clears them. */
    limits?: Limits | null | undefined;
    budget?: (Budget & Readonly<{ initialTokensUsed: number }>) | null | undefined;
    keys: readonly ImportedKey[];
  }>;

/** Makes a key that was made elsewhere, for the principal of that name. */
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

/** What needs no name to be looked up first. `label` is what refusals call it. */
export type CommandStep<Own> = Readonly<{ step: 'command'; label: string; command: Own }>;

/** Those that are gone already are passed over. */
export type RemoveStep = Readonly<{ step: 'remove'; streams: readonly string[] }>;

/** Records what the files of a set manage from now on. */
export type AppliedStep = Readonly<{
  step: 'applied';
  data: Extract<GwEvent, { type: 'ConfigurationApplied' }>['data'];
}>;

/**
 * `id` is of the entity that is meant, perhaps under another name; null makes a new one. When it is undefined, the entity of that name is
 * meant, or a new one.
 */
type Known = Readonly<{ id?: number | null | undefined }>;

/** `at` is its place in declarative files, such as `models.3`; refusals name it. */
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
