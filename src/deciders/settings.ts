// Decides commands on the deployment's settings.

import { streamOf } from '../../events/catalogue.ts';
import { isSigned } from '../../events/checkpoint.ts';
import type { SettingsEvent } from '../../events/settings.ts';
import { rotationText } from '../../events/note.ts';
import { defaultSettings } from '../../projections/config/settings.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { vaultRefs } from '../../projections/config/vault-refs.ts';
import type { ModelId, PrincipalId } from '../lib/ids.ts';
import { refuse } from '../lib/refusal.ts';
import { epochMax } from '../lib/snapshot-version.ts';
import { changeKind } from '../lib/vocabulary.ts';
import type { ChangeKind, ErasedKind } from '../lib/vocabulary.ts';
import type { Decision } from './decision.ts';
import { administratorsOf } from '../../projections/config/grants.ts';
import { noPrincipal } from './callers/principal.ts';

export type SettingsCommand =
  | Readonly<{ type: 'SetFallbackModel'; modelId: ModelId | null }>
  /** Empty ends the policy. */
  | Readonly<{ type: 'SetChangePolicy'; kinds: readonly ChangeKind[] }>
  /** Requests a new snapshot version, even if nothing changed. */
  | Readonly<{ type: 'RebuildSnapshot' }>
  /** Records that every session ends; the sessions are not in the log. */
  | Readonly<{ type: 'RevokeSessions' }>
  /** The cluster stores the managed deployment. */
  | Readonly<{
      type: 'RecordDeploymentPatch';
      patch: Readonly<Record<string, string | number | boolean | null | undefined>>;
      generation: number;
    }>
  /**
   * `publicKey` signs checkpoints from now on, 64 hex digits. The current key authorises it with
   * its signature (events/checkpoint.ts, base64).
   */
  | Readonly<{ type: 'SetAuditKey'; logId: string; publicKey: string; signature: string | null }>
  /** Continues the log after events that replicas have seen were lost. */
  | Readonly<{ type: 'StartEpoch' }>
  /** The vault was encrypted again. Its content is not in the log. */
  | Readonly<{ type: 'RecordReseal'; keyId: string; items: number }>
  /** Records that costs were computed again. The corrections are not in the log. */
  | Readonly<{ type: 'RecordReprice'; repriced: UsageRepriced }>
  /** Records how many usage rows were dropped, by reason. */
  | Readonly<{ type: 'RecordUsageDrops'; drops: readonly UsageDrop[] }>
  /** Records that a bill was compared with the ledger. The report is not in the log. */
  | Readonly<{ type: 'RecordBillReconciliation'; report: string; facts: BillFacts }>
  /** Records that a segment is in the archive. */
  | Readonly<{ type: 'RecordArchivedUsage'; archived: UsageArchived }>
  /**
   * Skips items that an existing entity references, except the e-mail address of the principal
   * whose personal data is erased, which is cleared. `principalId` is null if no one's data was
   * requested.
   */
  | Readonly<{
      type: 'EraseVaultItems';
      items: readonly ErasableItem[];
      principalId: PrincipalId | null;
    }>;

/** The facts of a comparison that the log keeps. */
type BillFacts = Readonly<{
  providers: readonly string[];
  format: string;
  file_sha256: string;
  first_day: string;
  last_day: string;
  totals: readonly Readonly<{ currency: string; bill_micros: number; ledger_micros: number }>[];
  matches: number;
  difference_count: number;
}>;
type UsageRepriced = Extract<SettingsEvent, { type: 'UsageRepriced' }>['data'];
export type UsageArchived = Extract<SettingsEvent, { type: 'UsageArchived' }>['data'];

export type UsageDrop = Readonly<{ reason: string; rows: number; replicas: number }>;

/** `subject` is the stream that an item belonged to. */
export type ErasableItem = Readonly<{ ref: string; subject: string; kind: ErasedKind }>;

const stream = streamOf('settings', 1);

export function decideSettings(state: ConfigState, command: SettingsCommand): Decision {
  switch (command.type) {
    case 'SetFallbackModel':
      return setFallbackModel(state, command.modelId);
    case 'SetChangePolicy':
      return setChangePolicy(state, command.kinds);
    case 'RebuildSnapshot':
      return [{ stream, type: 'SnapshotRebuilt', data: {} }];
    case 'RevokeSessions':
      return [{ stream, type: 'SessionsRevoked', data: {} }];
    case 'RecordDeploymentPatch':
      return [{ stream, type: 'DeploymentPatched', data: deploymentPatched(command) }];
    case 'SetAuditKey':
      return setAuditKey(state, command);
    case 'StartEpoch':
      return startEpoch(state);
    case 'RecordReseal': {
      const { keyId, items } = command;
      return [{ stream, type: 'VaultResealed', data: { key_id: keyId, items } }];
    }
    case 'RecordReprice':
      return [{ stream, type: 'UsageRepriced', data: command.repriced }];
    case 'RecordUsageDrops':
      return command.drops.map((data) => ({ stream, type: 'UsageRowsDropped', data }));
    case 'RecordBillReconciliation':
      return [{ stream, type: 'UsageReconciled', data: usageReconciled(command) }];
    case 'RecordArchivedUsage':
      return [{ stream, type: 'UsageArchived', data: command.archived }];
    case 'EraseVaultItems':
      return eraseItems(state, command);
  }
}

function usageReconciled({
  report,
  facts,
}: Extract<SettingsCommand, { type: 'RecordBillReconciliation' }>) {
  const { providers, format, file_sha256, first_day, last_day, totals, matches } = facts;
  return {
    report,
    providers,
    format,
    file_sha256,
    first_day,
    last_day,
    totals: totals.map(({ currency, bill_micros, ledger_micros }) => ({
      currency,
      bill_micros,
      ledger_micros,
    })),
    matches,
    differences: facts.difference_count,
  };
}

function deploymentPatched({
  patch,
  generation,
}: Extract<SettingsCommand, { type: 'RecordDeploymentPatch' }>) {
  const sent = Object.entries(patch).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { patch: Object.fromEntries(sent), generation };
}

type EraseVaultItems = Extract<SettingsCommand, { type: 'EraseVaultItems' }>;

/** Per event. */
const itemsMax = 500;

function eraseItems(state: ConfigState, { items, principalId: id }: EraseVaultItems): Decision {
  const principal = id === null ? undefined : state.principal.byId.get(id);
  if (id !== null && id > state.principal.lastId) return noPrincipal(id);
  const { emailRef = null, name } = principal ?? {};
  const isHeld = ({ ref, subject }: ErasableItem): boolean =>
    ref === name?.ref || (ref !== emailRef && vaultRefs(state, subject).includes(ref));
  const unheld = items.filter((item) => !isHeld(item));
  const cleared =
    id === null || emailRef === null
      ? []
      : [
          {
            stream: streamOf('principal', id),
            type: 'PrincipalEmailSet',
            data: { id, email_ref: null },
          } as const,
        ];
  const pages = Math.ceil(unheld.length / itemsMax);
  const erased = Array.from({ length: pages }, (_, page) => {
    const own = unheld.slice(page * itemsMax, (page + 1) * itemsMax);
    const owner = id === null ? {} : { principal_id: id };
    return { stream, type: 'VaultItemsErased', data: { ...namesOf(own), ...owner } } as const;
  });
  return [...cleared, ...erased];
}

function namesOf(items: readonly ErasableItem[]) {
  const byKind = Map.groupBy(items, ({ kind }) => kind);
  const kinds = [...byKind].map(([kind, own]) => [kind, own.length] as const);
  return { refs: items.map(({ ref }) => ref), kinds: Object.fromEntries(kinds) };
}

type SetAuditKey = Extract<SettingsCommand, { type: 'SetAuditKey' }>;

function setAuditKey(state: ConfigState, { logId, publicKey, signature }: SetAuditKey): Decision {
  const { auditKey: previous } = state.settings.byId.get(1) ?? defaultSettings;
  if (previous === publicKey) return [];
  const text = previous === null ? null : rotationText({ logId, previous, next: publicKey });
  if (previous !== null && text !== null) {
    const given = Buffer.from(signature ?? '', 'base64');
    if (!isSigned(text, given, previous)) {
      return refuse(
        'forbidden',
        `audit key ${publicKey} is not signed by ${previous}, the current key`,
      );
    }
  }
  const data = { public_key: publicKey, previous, signature: text === null ? null : signature };
  return [{ stream, type: 'AuditKeySet', data }];
}

function startEpoch(state: ConfigState): Decision {
  const { epoch } = state.settings.byId.get(1) ?? defaultSettings;
  if (epoch >= epochMax) return refuse('conflict', `the log is in its last epoch, ${epoch}`);
  return [{ stream, type: 'LogEpochStarted', data: { epoch: epoch + 1 } }];
}

function setFallbackModel(state: ConfigState, modelId: ModelId | null): Decision {
  if (modelId !== null && !state.model.byId.has(modelId)) {
    return refuse('invalid', `model_id ${modelId} does not exist`, { param: 'model_id' });
  }
  const held = state.settings.byId.get(1) ?? defaultSettings;
  if (held.fallbackModelId === modelId) return [];
  return [{ stream, type: 'FallbackModelSet', data: { model_id: modelId } }];
}

/** A single administrator could no longer change anything. */
function setChangePolicy(state: ConfigState, given: readonly ChangeKind[]): Decision {
  const kinds = changeKind.options.filter((kind) => given.includes(kind));
  const { changePolicy } = state.settings.byId.get(1) ?? defaultSettings;
  if (kinds.join() === changePolicy.join()) return [];
  const { length } = administratorsOf(state);
  if (kinds.length > 0 && length < 2) {
    const message = `a change policy needs two principals with a login and config:write; found ${length}`;
    return refuse('conflict', message, { param: 'kinds' });
  }
  return [{ stream, type: 'ChangePolicySet', data: { kinds } }];
}
