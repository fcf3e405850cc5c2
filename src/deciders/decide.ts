// Lists all commands and decides them: decide(state, command) returns events or a refusal. Pure.

import type { ConfigState } from '../../projections/config/state.ts';
import { decideAdminToken } from './callers/admin-token.ts';
import type { AdminTokenCommand } from './callers/admin-token.ts';
import { decideApiKey } from './callers/api-key.ts';
import type { ApiKeyCommand } from './callers/api-key.ts';
import { decideBudget } from './callers/budget.ts';
import type { BudgetCommand } from './callers/budget.ts';
import { decideBudgetIncrease } from './callers/budget-increase.ts';
import type { BudgetIncreaseCommand } from './callers/budget-increase.ts';
import { decideChangeRequest } from './changes/change-request.ts';
import type { ChangeRequestCommand } from './changes/change-request.ts';
import { decideChanges } from './changes/changes.ts';
import type { Changes } from './changes/changes.ts';
import type { Decision } from './decision.ts';
import { decideFrontendModel } from './frontend-model.ts';
import type { FrontendModelCommand } from './frontend-model.ts';
import { decideIdentity } from './callers/identity.ts';
import type { IdentityCommand } from './callers/identity.ts';
import { decideImport } from './reconcile/steps.ts';
import type { ImportCommand } from './reconcile/steps.ts';
import { decideLimits } from './callers/limits.ts';
import type { LimitsCommand } from './callers/limits.ts';
import { decideLogin } from './callers/login.ts';
import type { LoginCommand } from './callers/login.ts';
import { decideModel } from './model.ts';
import type { ModelCommand } from './model.ts';
import { decidePool } from './pool.ts';
import type { PoolCommand } from './pool.ts';
import { decidePrices } from './price.ts';
import type { PriceCommand } from './price.ts';
import { decidePrincipal } from './callers/principal.ts';
import type { PrincipalCommand } from './callers/principal.ts';
import { decidePromptClass } from './prompt-class.ts';
import type { PromptClassCommand } from './prompt-class.ts';
import { decideProvider } from './provider.ts';
import type { ProviderCommand } from './provider.ts';
import { decideSweep } from './provider-sweep.ts';
import type { SweepProvider } from './provider-sweep.ts';
import { decideRegistration } from './registration.ts';
import type { RegisterProvider } from './registration.ts';
import { remoteDeciders } from './remote.ts';
import type { RemoteCommand } from './remote.ts';
import { decideRestore } from './restore.ts';
import type { RestoreCommand } from './restore.ts';
import { decideRole } from './callers/role.ts';
import type { RoleCommand } from './callers/role.ts';
import { decideRule } from './rule.ts';
import type { RuleCommand } from './rule.ts';
import { decideSeed } from './seed.ts';
import type { SeedCommand } from './seed.ts';
import { decideSettings } from './settings.ts';
import type { SettingsCommand } from './settings.ts';
import { decideWebhookEndpoint } from './webhook-endpoint.ts';
import type { WebhookEndpointCommand } from './webhook-endpoint.ts';

export type PlainCommand =
  | PrincipalCommand
  | LoginCommand
  | IdentityCommand
  | LimitsCommand
  | BudgetCommand
  | BudgetIncreaseCommand
  | RoleCommand
  | ApiKeyCommand
  | AdminTokenCommand
  | ProviderCommand
  | RegisterProvider
  | SweepProvider
  | ModelCommand
  | PriceCommand
  | FrontendModelCommand
  | RuleCommand
  | PoolCommand
  | PromptClassCommand
  | RemoteCommand
  | WebhookEndpointCommand
  | SettingsCommand;

export type SingleCommand =
  | PlainCommand
  | ImportCommand<PlainCommand>
  | RestoreCommand
  | SeedCommand;

type ApplyChanges = Readonly<{ type: 'ApplyChanges' }> & Changes<SingleCommand>;

type RequestCommand = ChangeRequestCommand<SingleCommand>;

export type Command = SingleCommand | ApplyChanges | RequestCommand;

type CommandOf = { readonly [Own in Command as Own['type']]: Own };
type Typed<Type extends keyof CommandOf> = {
  [Own in Type]: CommandOf[Own] & Readonly<{ type: Own }>;
}[Type];
type Deciders = {
  readonly [Own in keyof CommandOf]: (state: ConfigState, command: Typed<Own>) => Decision;
};

const ofRequest = (state: ConfigState, command: RequestCommand): Decision =>
  decideChangeRequest(state, command, decide);

const ofImport = (state: ConfigState, command: ImportCommand<PlainCommand>): Decision =>
  decideImport(state, command, decide);

const deciders: Deciders = {
  CreatePrincipal: decidePrincipal,
  UpdatePrincipal: decidePrincipal,
  DeletePrincipal: decidePrincipal,
  GrantRole: decidePrincipal,
  RevokeRole: decidePrincipal,
  SetPassword: decidePrincipal,
  SignInByLink: decidePrincipal,
  SetLogin: decideLogin,
  AdmitIdentity: decideIdentity,
  UnlinkIdentity: decideIdentity,
  SetLimits: decideLimits,
  ClearLimits: decideLimits,
  SetBudget: decideBudget,
  ClearBudget: decideBudget,
  IncreaseBudget: decideBudgetIncrease,
  RemoveBudgetIncrease: decideBudgetIncrease,
  EndBudgetIncreases: decideBudgetIncrease,
  CreateRole: decideRole,
  UpdateRole: decideRole,
  DeleteRole: decideRole,
  GrantPermission: decideRole,
  RevokePermission: decideRole,
  CreateApiKey: decideApiKey,
  RevokeApiKey: decideApiKey,
  EnableApiKey: decideApiKey,
  SetApiKeyExpiry: decideApiKey,
  CreateAdminToken: decideAdminToken,
  RevokeAdminToken: decideAdminToken,
  CreateProvider: decideProvider,
  UpdateProvider: decideProvider,
  DeleteProvider: decideProvider,
  RegisterProvider: decideRegistration,
  SweepProvider: decideSweep,
  CreateModel: decideModel,
  UpdateModel: decideModel,
  DeleteModel: decideModel,
  AttachBackend: decideModel,
  DetachBackend: decideModel,
  UpdateBackend: decideModel,
  SetFlowControl: decideModel,
  SyncPrices: decidePrices,
  CreateFrontendModel: decideFrontendModel,
  UpdateFrontendModel: decideFrontendModel,
  DeleteFrontendModel: decideFrontendModel,
  AddDefaultTarget: decideFrontendModel,
  RemoveDefaultTarget: decideFrontendModel,
  AddRule: decideRule,
  UpdateRule: decideRule,
  RemoveRule: decideRule,
  ReplaceRules: decideRule,
  AddRuleTarget: decideRule,
  RemoveRuleTarget: decideRule,
  CreatePool: decidePool,
  UpdatePool: decidePool,
  DeletePool: decidePool,
  AddPoolMember: decidePool,
  RemovePoolMember: decidePool,
  CreatePromptClass: decidePromptClass,
  UpdatePromptClass: decidePromptClass,
  AddPromptExample: decidePromptClass,
  RemovePromptExample: decidePromptClass,
  DeletePromptClass: decidePromptClass,
  ...remoteDeciders(),
  CreateWebhookEndpoint: decideWebhookEndpoint,
  UpdateWebhookEndpoint: decideWebhookEndpoint,
  RotateWebhookSecret: decideWebhookEndpoint,
  DeleteWebhookEndpoint: decideWebhookEndpoint,
  SetFallbackModel: decideSettings,
  SetChangePolicy: decideSettings,
  RebuildSnapshot: decideSettings,
  RevokeSessions: decideSettings,
  RecordDeploymentPatch: decideSettings,
  SetAuditKey: decideSettings,
  StartEpoch: decideSettings,
  RecordReseal: decideSettings,
  RecordReprice: decideSettings,
  RecordUsageDrops: decideSettings,
  RecordBillReconciliation: decideSettings,
  RecordArchivedUsage: decideSettings,
  EraseVaultItems: decideSettings,
  ImportConfig: ofImport,
  ApplyConfiguration: ofImport,
  RestoreSnapshot: decideRestore,
  ApplyChanges: (state, command) => decideChanges(state, command, decide),
  DraftChangeRequest: ofRequest,
  EditChangeRequest: ofRequest,
  ApproveChangeRequest: ofRequest,
  RefuseChangeRequest: ofRequest,
  WithdrawChangeRequest: ofRequest,
  ScheduleChangeRequest: ofRequest,
  ApplyChangeRequest: ofRequest,
  FailChangeRequest: ofRequest,
  ExpireChangeRequest: ofRequest,
  ReviewChange: ofRequest,
  SeedLog: decideSeed,
};

export const commandTypes: readonly string[] = Object.keys(deciders);

export const decide = (state: ConfigState, command: Command): Decision =>
  decideTyped(state, command);

const isCompound = ({ type }: Command): boolean =>
  type === 'ApplyChanges' || (Object.hasOwn(deciders, type) && deciders[type] === ofRequest);

export const isSingle = (command: Command): command is SingleCommand => !isCompound(command);

/** Generic, so that the compiler pairs a command with the decider of its type. */
const decideTyped = <Type extends keyof CommandOf>(
  state: ConfigState,
  command: Typed<Type>,
): Decision => {
  const decider = deciders[command.type];
  return decider(state, command);
};
