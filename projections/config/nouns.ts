// Maps each noun to its fold: `evolve`, the ids of its parts, and the vault items that an entity
// references.

import { eventsByNoun } from '../../events/catalogue.ts';
import type { EventsByNoun } from '../../events/catalogue.ts';
import type { EventOf, NewEvent } from '../../events/event.ts';
import { allNouns, remoteNouns } from '../../events/nouns.ts';
import type { Noun, RemoteNoun } from '../../events/nouns.ts';
import { evolveAdminToken } from './admin-token.ts';
import { evolveApiKey } from './api-key.ts';
import { evolveChangeRequest } from './change-request.ts';
import { evolveFrontendModel, frontendModelParts } from './frontend-model.ts';
import { evolveModel } from './model.ts';
import { evolvePool, poolParts } from './pool.ts';
import { evolvePrincipal } from './principal.ts';
import { evolvePromptClass } from './prompt-class.ts';
import { evolveProvider } from './provider.ts';
import { evolveRemote } from './remote.ts';
import type { Remotes } from './remote.ts';
import { evolveRole } from './role.ts';
import { evolveSettings } from './settings.ts';
import { evolveWebhookEndpoint } from './webhook-endpoint.ts';
import type { Evolve, FoldRule } from './slice.ts';

type Refs = readonly (string | null | undefined)[];

export type NounFold<Entity, Event extends NewEvent> = FoldRule<Entity, Event> &
  Readonly<{
    /**
     * Vault items that are useless once the entity no longer references them: credentials,
     * verifiers, password hashes, examples, e-mail addresses, identities and drafted calls.
     * People's names are excluded, because the audit log shows them for actors.
     */
    refs: (entity: Entity) => Refs;
  }>;

const holdsNone = (): Refs => [];

const credentialOf = ({ credential }: { credential: { ref: string } | null }): Refs => [
  credential?.ref,
];
const verifierOf = ({ verifierRef }: { verifierRef: string }): Refs => [verifierRef];

const table = {
  principal: fold('principal', evolvePrincipal, {
    refs: ({ passwordRef, emailRef, identity }) => [passwordRef, emailRef, identity?.ref],
  }),
  role: fold('role', evolveRole),
  api_key: fold('api_key', evolveApiKey, { refs: verifierOf }),
  admin_token: fold('admin_token', evolveAdminToken, { refs: verifierOf }),
  provider: fold('provider', evolveProvider, { refs: credentialOf }),
  model: fold('model', evolveModel),
  frontend_model: fold('frontend_model', evolveFrontendModel, { parts: frontendModelParts }),
  pool: fold('pool', evolvePool, { parts: poolParts }),
  prompt_class: fold('prompt_class', evolvePromptClass, {
    refs: ({ examples }) => examples.map(({ ref }) => ref),
  }),
  ...remoteFolds(),
  webhook_endpoint: fold('webhook_endpoint', evolveWebhookEndpoint, {
    refs: ({ address, secret, replacedSecret }) => [address.ref, secret?.ref, replacedSecret?.ref],
  }),
  settings: fold('settings', evolveSettings),
  change_request: fold('change_request', evolveChangeRequest, {
    refs: ({ ended, draft }) => [ended === null ? draft?.body_ref : null],
  }),
};

function fold<Entity, Event extends NewEvent>(
  noun: Noun,
  evolve: Evolve<Entity, Event>,
  rest: Partial<Pick<NounFold<Entity, Event>, 'parts' | 'refs'>> = {},
): NounFold<Entity, Event> {
  return { types: eventsByNoun[noun], evolve, refs: holdsNone, ...rest };
}

function remoteFold(noun: RemoteNoun) {
  return fold(noun, evolveRemote<RemoteNoun>, { refs: credentialOf });
}

type RemoteFolds = {
  readonly [N in RemoteNoun]: NounFold<Remotes[N], EventOf<EventsByNoun[N]>>;
};

function remoteFolds(): RemoteFolds;
function remoteFolds(): object {
  return Object.fromEntries(remoteNouns.map((noun) => [noun, remoteFold(noun)]));
}

type Table = typeof table;

export type Entities = {
  readonly [N in Noun]: Exclude<ReturnType<Table[N]['evolve']>, undefined>;
};
type Events = { readonly [N in Noun]: Parameters<Table[N]['evolve']>[1] };

export const folds: { readonly [N in Noun]: NounFold<Entities[N], Events[N]> } = table;

/** The cast is needed because the compiler cannot relate the type of a member to its noun here. */
export function eachNoun<Members extends Readonly<Record<Noun, object>>>(
  make: (noun: Noun) => Members[Noun] | object,
): Members;
export function eachNoun(make: (noun: Noun) => object): object {
  return Object.fromEntries(allNouns.map(({ noun }) => [noun, make(noun)]));
}
