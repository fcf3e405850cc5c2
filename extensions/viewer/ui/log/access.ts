// Computes the access review from the folded state and the grants of an export.

import { accessReviewer } from '../../../../projections/access-review.ts';
import type { Grant, Reviewed } from '../../../../projections/access-review.ts';
import { principalName } from './names.ts';
import type { OpenLog } from './open-log.ts';

export const reviewer = (log: OpenLog, reviewed: Reviewed) =>
  accessReviewer(reviewed, {
    grantOf: (name) => grantAt(log, reviewed.state.position, name),
    nameOf: (id) => principalName(log, id),
  });

function grantAt({ grants, index }: OpenLog, upTo: number, name: string): Grant | null {
  const position = grants.get(name)?.findLast((one) => one <= upTo);
  const entry = position === undefined ? undefined : index.at(position);
  if (entry === undefined) return null;
  const { position: at, at: recorded_at, actorKind, actorId } = entry;
  return { position: at, recorded_at, actor_kind: kindOf(actorKind), actor_id: actorId };
}

const kinds = ['session', 'api_key', 'admin_token', 'cli', 'agent', 'system'] as const;
const kindOf = (text: string) => kinds.find((kind) => kind === text) ?? 'system';
