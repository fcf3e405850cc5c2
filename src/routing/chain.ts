// Which models are tried for a request, in what order: the model that was named, then the
// deployment's fallback (Gateway rules 2 and 4). A candidate without a grant is dropped; the
// chain is never widened.

import { mayInvoke } from '../snapshot/compile/callers.ts';
import type { CompiledSnapshot } from '../snapshot/compile.ts';
import type { Caller } from '../snapshot/compile/callers.ts';
import type { CompiledModel } from '../snapshot/compile/models.ts';

/** `route` is the value of x-gw-route when this candidate answers. */
export type Candidate = Readonly<{ model: CompiledModel; route: 'concrete' | 'default' }>;

export type Resolution =
  | Readonly<{ kind: 'chain'; candidates: readonly [Candidate, ...Candidate[]] }>
  /** The name is unknown, or nothing serves it. */
  | Readonly<{ kind: 'absent' }>
  /** Something would serve it, but the caller may invoke none of it; the first such model. */
  | Readonly<{ kind: 'denied'; model: CompiledModel }>;

const absent: Resolution = { kind: 'absent' };

export function resolveChain(snapshot: CompiledSnapshot, caller: Caller, name: string): Resolution {
  const named = snapshot.models.get(name);
  if (named === undefined) return absent;
  const { fallback } = snapshot;
  const first = candidate(named, 'concrete', caller);
  const second =
    fallback === null || fallback === named ? 'unserved' : candidate(fallback, 'default', caller);
  if (typeof first === 'object') {
    const candidates = typeof second === 'object' ? ([first, second] as const) : ([first] as const);
    return { kind: 'chain', candidates: [...candidates] };
  }
  if (typeof second === 'object') return { kind: 'chain', candidates: [second] };
  if (first === 'denied') return { kind: 'denied', model: named };
  return second === 'denied' && fallback !== null ? { kind: 'denied', model: fallback } : absent;
}

function candidate(
  model: CompiledModel,
  route: Candidate['route'],
  caller: Caller,
): Candidate | 'unserved' | 'denied' {
  if (model.backends.length === 0) return 'unserved';
  return mayInvoke(caller, model) ? { model, route } : 'denied';
}
