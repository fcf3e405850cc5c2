// What a change is called in lists: one sentence from the command, the record that it began with and that record's name. Names come
// from the read side: those of people lie in the vault, and neither an event nor an audit row stores them in clear.

import { parseStream } from '../events/catalogue.ts';
import type { Noun } from '../events/catalogue.ts';

/** `name` is the last known one, of deleted records too; null where the kind has none, or it was erased. */
export type Subject = Readonly<{ stream: string; name: string | null }>;

export type MadeChange = Readonly<{ command: string; subject: Subject; eventCount: number }>;

/** `{record}` is "model demo", `{name}` "demo" alone, `{events}` "3 events". */
export const sentences = {
  CreatePrincipal: 'Created {record}',
  UpdatePrincipal: 'Updated {record}',
  DeletePrincipal: 'Deleted {record}',
  GrantRole: 'Granted a role to {name}',
  RevokeRole: 'Revoked a role of {name}',
  SetPassword: 'Set the password of {name}',
  SetLogin: 'Set the login of {name}',
  SignInByLink: 'Signed in with the link of gw dev',
  AdmitIdentity: 'Signed in {name} by single sign-on',
  UnlinkIdentity: 'Unlinked the identity of {name}',
  SetLimits: 'Set rate limits of {name}',
  ClearLimits: 'Removed rate limits of {name}',
  SetBudget: 'Set budget of {name}',
  ClearBudget: 'Removed budget of {name}',
  CreateRole: 'Created {record}',
  UpdateRole: 'Updated {record}',
  DeleteRole: 'Deleted {record}',
  GrantPermission: 'Granted a permission to {record}',
  RevokePermission: 'Revoked a permission of {record}',
  CreateAdminToken: 'Created {record}',
  RevokeAdminToken: 'Revoked {record}',
  CreateApiKey: 'Created {record}',
  RevokeApiKey: 'Revoked {record}',
  EnableApiKey: 'Enabled {record}',
  SetApiKeyExpiry: 'Set the expiry of {record}',
  CreateProvider: 'Created {record}',
  UpdateProvider: 'Updated {record}',
  DeleteProvider: 'Deleted {record}',
  RegisterProvider: 'Registered {record}',
  SweepProvider: 'Checked {record}',
  CreateModel: 'Created {record}',
  UpdateModel: 'Updated {record}',
  DeleteModel: 'Deleted {record}',
  AttachBackend: 'Attached {record} to a provider',
  DetachBackend: 'Detached {record} from its provider',
  UpdateBackend: 'Updated the backend of {record}',
  SetFlowControl: 'Set flow control of {record}',
  SyncPrices: 'Synced prices ({events})',
  CreateFrontendModel: 'Created {record}',
  UpdateFrontendModel: 'Updated {record}',
  DeleteFrontendModel: 'Deleted {record}',
  AddDefaultTarget: 'Added a default target to {name}',
  RemoveDefaultTarget: 'Removed a default target of {name}',
  AddRule: 'Added a rule to {name}',
  UpdateRule: 'Updated a rule of {name}',
  RemoveRule: 'Deleted a rule of {name}',
  ReplaceRules: 'Updated the rules of {name}',
  AddRuleTarget: 'Added a target to a rule of {name}',
  RemoveRuleTarget: 'Removed a target of a rule of {name}',
  CreatePool: 'Created {record}',
  UpdatePool: 'Updated {record}',
  DeletePool: 'Deleted {record}',
  AddPoolMember: 'Added a member to {record}',
  RemovePoolMember: 'Removed a member of {record}',
  CreatePromptClass: 'Created {record}',
  UpdatePromptClass: 'Updated {record}',
  DeletePromptClass: 'Deleted {record}',
  AddPromptExample: 'Added an example to {record}',
  RemovePromptExample: 'Removed an example of {record}',
  CreateMcpServer: 'Created {record}',
  UpdateMcpServer: 'Updated {record}',
  DeleteMcpServer: 'Deleted {record}',
  CreateAgent: 'Created {record}',
  UpdateAgent: 'Updated {record}',
  DeleteAgent: 'Deleted {record}',
  SetFallbackModel: 'Set the global fallback model',
  SetChangePolicy: 'Set the approval policy',
  SetAuditKey: 'Set the audit key',
  RecordReseal: 'Re-encrypted stored secrets',
  RecordDeploymentPatch: 'Updated the deployment',
  RevokeSessions: 'Ended all sessions',
  RebuildSnapshot: 'Rebuilt the snapshot',
  EraseVaultItems: 'Erased personal data',
  StartEpoch: 'Started a new epoch of the log',
  SeedLog: 'Set up the control plane',
  ImportConfig: 'Imported a configuration ({events})',
  RestoreSnapshot: 'Restored {record} ({events})',
  ApplyChanges: 'Applied a set of changes ({events})',
  DraftChangeRequest: 'Drafted {record}',
  EditChangeRequest: 'Edited {record}',
  ApproveChangeRequest: 'Approved {record}',
  RefuseChangeRequest: 'Refused {record}',
  WithdrawChangeRequest: 'Withdrew {record}',
  ScheduleChangeRequest: 'Scheduled {record}',
  ExpireChangeRequest: 'Expired {record}',
  FailChangeRequest: 'Failed to apply {record}',
  ApplyChangeRequest: 'Applied a change request ({events})',
  ReviewChange: 'Reviewed {record}',
} as const;

/** "Set budget of search-service-18". */
export function sentenceOf({ command, subject, eventCount }: MadeChange): string {
  const record = recordWords(subject);
  const known: Readonly<Record<string, string>> = sentences;
  const sentence = Object.hasOwn(known, command) ? known[command] : undefined;
  return (sentence ?? `${spaced(command)}: {record}`)
    .replace('{events}', eventCount === 1 ? '1 event' : `${eventCount} events`)
    .replace(/\{(record|name)\}/, (_, part) =>
      part === 'name' ? (subject.name ?? record) : record,
    );
}

const nouns: Readonly<Record<Noun, string>> = {
  principal: 'principal',
  role: 'role',
  api_key: 'API key',
  admin_token: 'admin token',
  provider: 'provider',
  model: 'model',
  frontend_model: 'frontend model',
  pool: 'pool',
  prompt_class: 'prompt class',
  mcp_server: 'MCP server',
  agent: 'agent',
  settings: 'settings',
  change_request: 'change request',
};

/** "model demo", or "model 7" where there is no name. */
export function recordWords({ stream, name }: Subject): string {
  const { noun, id } = parseStream(stream);
  return noun === 'settings' ? nouns[noun] : `${nouns[noun]} ${name ?? id}`;
}

/** `UpdateThing` as "Update thing": a command of another release. */
const spaced = (command: string): string =>
  command.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Events that say what a record is called. */
export const namingEvents: readonly string[] = [
  'PrincipalCreated',
  'PrincipalRenamed',
  'RoleCreated',
  'RoleRenamed',
  'ApiKeyCreated',
  'AdminTokenCreated',
  'ProviderCreated',
  'ProviderRenamed',
  'ModelCreated',
  'ModelRenamed',
  'FrontendModelCreated',
  'FrontendModelRenamed',
  'PoolCreated',
  'PoolRenamed',
  'PromptClassCreated',
  'PromptClassRenamed',
  'McpServerCreated',
  'McpServerChanged',
  'AgentCreated',
  'AgentChanged',
];

/** The text of a name, or the vault ref that holds it. */
export type NameIn = Readonly<{ text: string | null; ref: string | null }>;

/** What the data of a naming event calls its record; null in the data of another event. */
export function nameIn(data: unknown): NameIn | null {
  const details: unknown = Reflect.get(Object(data), 'details') ?? data;
  const name: unknown = Reflect.get(Object(details), 'name');
  if (typeof name === 'string') return { text: name, ref: null };
  if (typeof name !== 'object' || name === null) return null;
  return { text: textIn(name, 'text'), ref: textIn(name, 'ref') };
}

function textIn(value: object, member: string): string | null {
  const text: unknown = Reflect.get(value, member);
  return typeof text === 'string' ? text : null;
}
