// Which items of the vault an entity holds that are of no use once it has let go of them: credentials, verifiers of keys and
// tokens, password hashes, examples, e-mail addresses, subjects of identities, calls of a change request that has ended. A
// person's name is not among them: the audit log calls its actors by the names they had.

import { parseStream } from '../../events/catalogue.ts';
import type { ConfigState } from './state.ts';

/** None when there is no such entity. */
export function vaultRefs(state: ConfigState, stream: string): readonly string[] {
  const { noun, id } = parseStream(stream);
  switch (noun) {
    case 'principal': {
      const held = state.principal.byId.get(id);
      const refs = [held?.passwordRef, held?.emailRef, held?.identity?.ref];
      return refs.filter((ref) => typeof ref === 'string');
    }
    case 'api_key':
    case 'admin_token': {
      const held = state[noun].byId.get(id);
      return held === undefined ? [] : [held.verifierRef];
    }
    case 'prompt_class':
      return (state.prompt_class.byId.get(id)?.examples ?? []).map(({ ref }) => ref);
    case 'provider':
    case 'mcp_server':
    case 'agent': {
      const credential = state[noun].byId.get(id)?.credential ?? null;
      return credential === null ? [] : [credential.ref];
    }
    case 'change_request': {
      const held = state.change_request.byId.get(id);
      const draft = held === undefined || held.ended !== null ? null : held.draft;
      return draft === null ? [] : [draft.body_ref];
    }
    case 'role':
    case 'model':
    case 'frontend_model':
    case 'pool':
    case 'settings':
      return [];
  }
}

/** What entities of these streams held before and hold no more. */
export function refsLeft(
  { before, after }: Readonly<{ before: ConfigState; after: ConfigState }>,
  streams: ReadonlySet<string>,
): readonly string[] {
  return [...streams].flatMap((stream) => {
    const held = new Set(vaultRefs(after, stream));
    return vaultRefs(before, stream).filter((ref) => !held.has(ref));
  });
}
