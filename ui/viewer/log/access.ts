// Who could call what, as an export tells it: the review of the control plane (src/control/history/access.ts) on a folded state, with the
// grants that the file holds.

import { accessChanges, accessOf } from '../../../projections/access.ts';
import type { Access, AccessKey } from '../../../projections/access.ts';
import type { ConfigState } from '../../../projections/config/state.ts';
import type { Access as AccessRow } from '../../api/access.ts';
import { lastAtMost } from './log-index.ts';
import { actorName, principalName } from './names.ts';
import type { OpenLog } from './open-log.ts';

/** `atMs` is when keys are asked to be live. */
export type Reviewed = Readonly<{ state: ConfigState; atMs: number }>;

type Page = Readonly<{ after: AccessKey | null; limit: number }>;

/** Those behind `after`, and one more than the limit where there are more. */
export const reviewAccess = (log: OpenLog, reviewed: Reviewed, page: Page): AccessRow[] =>
  taken(accessOf(reviewed.state, page.after), page.limit + 1).map(reviewer(log, reviewed));

export function reviewChanges(
  log: OpenLog,
  { before, behind }: Readonly<{ before: Reviewed; behind: Reviewed }>,
  { after, limit }: Page,
) {
  const review = { lost: reviewer(log, before), gained: reviewer(log, behind) };
  return taken(accessChanges(before.state, behind.state, after), limit + 1).map(
    ({ change, access }) => Object.assign({ change }, review[change](access)),
  );
}

function reviewer(log: OpenLog, { state, atMs }: Reviewed): (access: Access) => AccessRow {
  const live = [...state.api_key.byId.values()].filter(
    ({ disabled, expiresAt }) => !disabled && (expiresAt === null || Date.parse(expiresAt) > atMs),
  );
  const keys = Map.groupBy(live, ({ principalId }) => principalId);
  const granted = (name: string) => grantedAt(log, state.position, name);
  return ({ principalId, modelId, model, via }) => ({
    principal_id: principalId,
    principal: principalName(log, principalId),
    model_id: modelId,
    model,
    via: via.map(({ roleId, role, resource }) => ({
      role_id: roleId,
      role,
      resource: `model/${resource}`,
      role_granted: granted(`principal-${principalId} ${roleId}`),
      permission_granted: granted(`role-${roleId} model/${resource}`),
    })),
    keys: (keys.get(principalId) ?? []).map(({ id }) => id),
  });
}

type Granted = AccessRow['via'][number]['role_granted'];

/** By the last event of it up to there. */
function grantedAt(log: OpenLog, upTo: number, name: string): Granted {
  const positions = log.grants.get(name) ?? [];
  const position = positions[lastAtMost(positions, upTo)];
  if (position === undefined) return null;
  const { index } = log;
  const actorId = index.actorId(position);
  return {
    position,
    at: new Date(index.recordedAt(position)).toISOString(),
    actor_kind: kindOf(index.actorKind(position)),
    actor_id: actorId,
    actor_name: actorName(log, actorId),
  };
}

const kinds = ['session', 'api_key', 'admin_token', 'cli', 'agent', 'system'] as const;
const kindOf = (text: string) => kinds.find((kind) => kind === text) ?? 'system';

function taken<Value>(values: Iterable<Value>, count: number): Value[] {
  const first: Value[] = [];
  for (const value of values) {
    if (first.length === count) break;
    first.push(value);
  }
  return first;
}
