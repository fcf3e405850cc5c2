// Decides commands on MCP servers and A2A agents (specification, "Other records"). Each has a
// unique name, and a credential that stays with its origin.

import { remoteName, streamOf } from '../../events/catalogue.ts';
import type { GwEvent, RemoteNames } from '../../events/catalogue.ts';
import { nouns, remoteNouns } from '../../events/nouns.ts';
import type { RemoteNoun } from '../../events/nouns.ts';
import type { StoredCredential } from '../../events/provider.ts';
import type { Remote } from '../../events/remote.ts';
import type { Remotes } from '../../projections/config/remote.ts';
import type { ConfigState } from '../../projections/config/state.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
import { isRefusal, refuse } from '../lib/refusal.ts';
import type { Refusal } from '../lib/refusal.ts';
import { refuseLeak } from './credential-leak.ts';
import type { Decision } from './decision.ts';

type Given<Details> = { readonly [Field in keyof Details]?: Details[Field] | undefined };

/** Undefined members stay unchanged; `credential` null clears it. */
type Change<Details> = Readonly<{
  details: Given<Details>;
  credential: StoredCredential | null | undefined;
  /** Confirms that the stored credential may be sent to another origin. */
  keepCredential: boolean;
}>;

type CommandOf<N extends RemoteNoun> =
  | Readonly<{ type: `Create${RemoteNames[N]}` } & Pick<Remotes[N], 'details' | 'credential'>>
  | Readonly<
      { type: `Update${RemoteNames[N]}` } & Pick<Remotes[N], 'id'> & Change<Remotes[N]['details']>
    >
  | Readonly<{ type: `Delete${RemoteNames[N]}` } & Pick<Remotes[N], 'id'>>;

export type RemoteCommand = { [N in RemoteNoun]: CommandOf<N> }[RemoteNoun];

type HeldRemote = Readonly<{
  id: number;
  details: Remote;
  credential: StoredCredential | null;
}>;
type Creation = Omit<HeldRemote, 'id'>;
type Deletion = Readonly<{ id: number }>;
type Update = Deletion & Change<Remote>;

/** For a noun known only at run time. */
export function remoteCommand(noun: RemoteNoun, verb: 'Create', own: Creation): RemoteCommand;
export function remoteCommand(noun: RemoteNoun, verb: 'Update', own: Update): RemoteCommand;
export function remoteCommand(noun: RemoteNoun, verb: 'Delete', own: Deletion): RemoteCommand;
export function remoteCommand(noun: RemoteNoun, verb: string, own: object): object {
  return { type: `${verb}${remoteName(noun)}`, ...own };
}

type RemoteDeciders = {
  readonly [Type in RemoteCommand['type']]: (
    state: ConfigState,
    command: Extract<RemoteCommand, { type: Type }>,
  ) => Decision;
};

/** By type of command. */
export function remoteDeciders(): RemoteDeciders;
export function remoteDeciders(): object {
  return Object.assign({}, ...remoteNouns.map(decidersOf));
}

function decidersOf(noun: RemoteNoun): object {
  const { words } = nouns[noun].remote;
  const existing =
    (decide: (state: ConfigState, held: HeldRemote, command: Update) => Decision) =>
    (state: ConfigState, command: Update): Decision => {
      const held = state[noun].byId.get(command.id);
      return held === undefined
        ? refuse('absent', `${words} ${command.id} does not exist`)
        : decide(state, held, command);
    };
  const name = remoteName(noun);
  return {
    [`Create${name}`]: (state: ConfigState, { details, credential }: Creation): Decision => {
      const id = state[noun].lastId + 1;
      const taken = refuseTaken(state, noun, { id, name: details.name });
      return taken ?? [remoteEvent(noun, 'Created', { id, details, credential })];
    },
    [`Update${name}`]: existing((state, held, command) => update(state, noun, { held, command })),
    [`Delete${name}`]: existing((_state, { id }) => [remoteEvent(noun, 'Deleted', { id })]),
  };
}

function refuseTaken(
  state: ConfigState,
  noun: RemoteNoun,
  { id, name }: Readonly<{ id: number; name: string }>,
): Refusal | null {
  const isTaken = [...state[noun].byId.values()].some(
    (one) => one.id !== id && one.details.name === name,
  );
  return isTaken
    ? refuse('conflict', `${nouns[noun].remote.words} ${name} exists`, { param: 'name' })
    : null;
}

function update(
  state: ConfigState,
  noun: RemoteNoun,
  { held, command }: Readonly<{ held: HeldRemote; command: Update }>,
): Decision {
  const { id, keepCredential } = command;
  const sent = Object.entries(command.details).filter(([, value]) => value !== undefined);
  const details = { ...held.details, ...Object.fromEntries(sent) };
  const refusal = refuseTaken(state, noun, { id, name: details.name });
  if (refusal !== null) return refusal;
  const isKept = command.credential === undefined && held.credential !== null;
  if (isKept && !keepCredential) {
    const leak = refuseLeak({ from: held.details.url, to: details.url, param: 'url' });
    if (isRefusal(leak)) return leak;
  }
  const { credential = held.credential } = command;
  return remoteEvents(noun, held, { id, details, credential });
}

type RemoteData = Readonly<{ id: number }> & Partial<HeldRemote>;

export function remoteEvents(
  noun: RemoteNoun,
  held: HeldRemote,
  { id, details, credential }: HeldRemote,
): readonly GwEvent[] {
  const isSame = canonicalJson(details) === canonicalJson(held.details);
  const events = isSame ? [] : [remoteEvent(noun, 'Changed', { id, details })];
  if (canonicalJson(credential) === canonicalJson(held.credential)) return events;
  return credential === null
    ? [...events, remoteEvent(noun, 'CredentialCleared', { id })]
    : [...events, remoteEvent(noun, 'CredentialSet', { id, credential })];
}

export function remoteEvent(noun: RemoteNoun, what: string, data: RemoteData): GwEvent;
export function remoteEvent(noun: RemoteNoun, what: string, data: RemoteData): object {
  return { stream: streamOf(noun, data.id), type: `${remoteName(noun)}${what}`, data };
}
