// Every command there is, and the one function that decides it: decide(state, command) -> events or a refusal. Pure.

import type { ConfigState } from '../../projections/config/state.ts';
import { decideApiKey } from './api-key.ts';
import type { ApiKeyCommand } from './api-key.ts';
import { decideBudget } from './budget.ts';
import type { BudgetCommand } from './budget.ts';
import type { Decision } from './decision.ts';
import { decideLimits } from './limits.ts';
import type { LimitsCommand } from './limits.ts';
import { decideModel } from './model.ts';
import type { ModelCommand } from './model.ts';
import { decidePrincipal } from './principal.ts';
import type { PrincipalCommand } from './principal.ts';
import { decideProvider } from './provider.ts';
import type { ProviderCommand } from './provider.ts';
import { decideRole } from './role.ts';
import type { RoleCommand } from './role.ts';
import { decideSeed } from './seed.ts';
import type { SeedCommand } from './seed.ts';
import { decideSettings } from './settings.ts';
import type { SettingsCommand } from './settings.ts';

export type Command =
  | PrincipalCommand
  | LimitsCommand
  | BudgetCommand
  | RoleCommand
  | ApiKeyCommand
  | ProviderCommand
  | ModelCommand
  | SettingsCommand
  | SeedCommand;

export function decide(state: ConfigState, command: Command): Decision {
  switch (command.type) {
    case 'CreatePrincipal':
    case 'UpdatePrincipal':
    case 'DeletePrincipal':
    case 'GrantRole':
    case 'RevokeRole':
    case 'SetPassword':
    case 'SetLogin':
      return decidePrincipal(state, command);
    case 'SetLimits':
    case 'ClearLimits':
      return decideLimits(state, command);
    case 'SetBudget':
    case 'ClearBudget':
      return decideBudget(state, command);
    case 'CreateRole':
    case 'UpdateRole':
    case 'DeleteRole':
    case 'GrantPermission':
    case 'RevokePermission':
      return decideRole(state, command);
    case 'CreateApiKey':
    case 'RevokeApiKey':
      return decideApiKey(state, command);
    case 'CreateProvider':
    case 'UpdateProvider':
    case 'DeleteProvider':
      return decideProvider(state, command);
    case 'CreateModel':
    case 'UpdateModel':
    case 'DeleteModel':
    case 'AttachBackend':
    case 'DetachBackend':
    case 'SetFlowControl':
      return decideModel(state, command);
    case 'SetFallbackModel':
      return decideSettings(state, command);
    case 'SeedLog':
      return decideSeed(state, command);
  }
}
