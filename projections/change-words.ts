// Describes a change in one sentence for lists, from the command, its first record and that
// record's name. People's names are in the vault, so names are resolved when read.

import { eventsByNoun, parseStream } from '../events/catalogue.ts';
import { nouns } from '../events/nouns.ts';

/**
 * `name` is the last known one, also for deleted records. Null if the kind has no names or the name
 * was erased.
 */
export type Subject = Readonly<{ stream: string; name: string | null }>;

export type MadeChange = Readonly<{ command: string; subject: Subject; eventCount: number }>;

/** `stream` is that of the first event. */
export type Listed = Readonly<{ command: string; stream: string; event_count: number }>;

export function worded<Row extends Listed>({ stream, ...row }: Row, name: string | null) {
  const { command, event_count: eventCount } = row;
  const subject: Subject = { stream, name };
  return { ...row, subject, summary: sentenceOf({ command, subject, eventCount }) };
}

/**
 * Commands that no verb of `verbs` describes. `{record}` is "model demo", `{name}` is "demo" and
 * `{events}` is "3 events".
 */
const sentences: Readonly<Record<string, string>> = {
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
  IncreaseBudget: 'Increased budget of {name} for a time',
  RemoveBudgetIncrease: 'Removed a budget increase of {name}',
  EndBudgetIncreases: 'Ended budget increases ({events})',
  GrantPermission: 'Granted a permission to {record}',
  RevokePermission: 'Revoked a permission of {record}',
  SetApiKeyExpiry: 'Set the expiry of {record}',
  SweepProvider: 'Checked {record}',
  AttachBackend: 'Attached {record} to a provider',
  DetachBackend: 'Detached {record} from its provider',
  UpdateBackend: 'Updated the backend of {record}',
  SetFlowControl: 'Set flow control of {record}',
  SyncPrices: 'Synced prices ({events})',
  AddDefaultTarget: 'Added a default target to {name}',
  RemoveDefaultTarget: 'Removed a default target of {name}',
  AddRule: 'Added a rule to {name}',
  UpdateRule: 'Updated a rule of {name}',
  RemoveRule: 'Deleted a rule of {name}',
  ReplaceRules: 'Updated the rules of {name}',
  AddRuleTarget: 'Added a target to a rule of {name}',
  RemoveRuleTarget: 'Removed a target of a rule of {name}',
  AddPoolMember: 'Added a member to {record}',
  RemovePoolMember: 'Removed a member of {record}',
  AddPromptExample: 'Added an example to {record}',
  RemovePromptExample: 'Removed an example of {record}',
  RotateWebhookSecret: 'Rotated the secret of {record}',
  SetFallbackModel: 'Set the global fallback model',
  SetChangePolicy: 'Set the approval policy',
  SetAuditKey: 'Set the audit key',
  RecordReseal: 'Re-encrypted stored secrets',
  RecordDeploymentPatch: 'Updated the deployment',
  RecordBillReconciliation: 'Reconciled a bill',
  RecordArchivedUsage: 'Archived usage',
  RecordReprice: 'Repriced usage',
  RecordUsageDrops: 'Recorded dropped usage rows',
  RevokeSessions: 'Ended all sessions',
  RebuildSnapshot: 'Rebuilt the snapshot',
  EraseVaultItems: 'Erased personal data',
  StartEpoch: 'Started a new epoch of the log',
  SeedLog: 'Set up the control plane',
  ImportConfig: 'Imported a configuration ({events})',
  ApplyConfiguration: 'Applied configuration files ({events})',
  RestoreSnapshot: 'Restored {record} ({events})',
  ApplyChanges: 'Applied a set of changes ({events})',
  FailChangeRequest: 'Failed to apply {record}',
  ApplyChangeRequest: 'Applied a change request ({events})',
  ReviewChange: 'Reviewed {record}',
};

/** `CreateModel` is "Created {record}". */
const verbs: Readonly<Record<string, string>> = {
  Create: 'Created',
  Update: 'Updated',
  Delete: 'Deleted',
  Revoke: 'Revoked',
  Enable: 'Enabled',
  Draft: 'Drafted',
  Edit: 'Edited',
  Approve: 'Approved',
  Refuse: 'Refused',
  Withdraw: 'Withdrew',
  Schedule: 'Scheduled',
  Expire: 'Expired',
  Register: 'Registered',
};

/** For example "Set budget of search-service-18". */
export function sentenceOf({ command, subject, eventCount }: MadeChange): string {
  const record = recordWords(subject);
  const pattern = patternOf(command);
  // A command that changed nothing has its event in the settings stream.
  if (record === nouns.settings.words && /\{(record|name)\}$/.test(pattern)) {
    return `${spaced(command)}: nothing changed`;
  }
  return pattern
    .replace('{events}', eventCount === 1 ? '1 event' : `${eventCount} events`)
    .replace(/\{(record|name)\}/, (_, part) =>
      part === 'name' ? (subject.name ?? record) : record,
    );
}

function patternOf(command: string): string {
  if (Object.hasOwn(sentences, command)) return sentences[command] ?? '';
  const [verb = ''] = /^[A-Z][a-z]+/.exec(command) ?? [];
  return Object.hasOwn(verbs, verb) ? `${verbs[verb]} {record}` : `${spaced(command)}: {record}`;
}

/** "model demo", or "model 7" if there is no name. */
export function recordWords({ stream, name }: Subject): string {
  const { noun, id } = parseStream(stream);
  const { words } = nouns[noun];
  return noun === 'settings' ? words : `${words} ${name ?? id}`;
}

/** `UpdateThing` as "Update thing", for commands of another release. */
const spaced = (command: string): string =>
  command.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const memberOf = (schema: unknown, name: string): unknown =>
  Reflect.get(Object(Reflect.get(Object(schema), 'shape')), name);
const hasMember = (schema: unknown, name: string): boolean => memberOf(schema, name) !== undefined;

const hasName = (schema: unknown): boolean =>
  hasMember(schema, 'name') || hasMember(memberOf(schema, 'details'), 'name');

/** For example `PoolCreated` and `PoolRenamed`. */
export const namingEvents: readonly string[] = Object.entries(eventsByNoun)
  .flatMap(([, types]) => Object.entries(types))
  .filter(([type, { data }]) => /^[A-Za-z]+(Created|Renamed|Changed)$/.test(type) && hasName(data))
  .map(([type]) => type);

/** The text, or the vault ref with it. */
export type NameIn = Readonly<{ text: string | null; ref: string | null }>;

/** Null for events that do not name a record. */
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
