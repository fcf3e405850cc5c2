// Draws targets in order: models by name, pools with their members.

import { html, nothing } from 'lit';

import type { Target } from '../../api/records.ts';
import '../../elements/icon.ts';
import { membersText, policyLabel } from '../../lib/routing/pool.ts';
import { linkTo } from '../../state/location.ts';
import type { Routing } from './load.ts';

/** Uses `rulesStyles`. */
export function chainOf(targets: readonly Target[], routing: Pick<Routing, 'pools'>) {
  if (targets.length === 0) return html`<span class="quiet">No targets</span>`;
  return html`<ol class="chain">
    ${targets.map(
      (target, index) =>
        html`<li>
          ${index === 0 ? nothing : html`<gw-icon name="chevron-right"></gw-icon>`}
          ${targetOf(target, routing)}
        </li>`,
    )}
  </ol>`;
}

function targetOf(target: Target, { pools }: Pick<Routing, 'pools'>) {
  const { provider_model_id: modelId, model_pool_id: poolId, model } = target;
  if (modelId !== null) {
    return html`<a class="target" href=${linkTo({ screen: 'models', rest: [modelId] })}
      >${model}</a
    >`;
  }
  const pool = pools.find(({ id }) => id === poolId);
  if (pool === undefined) {
    return html`<span class="target gone">${model}<span class="note">deleted</span></span>`;
  }
  const members = membersText(pool.members);
  return html`<span class="target"
    ><a href=${linkTo({ screen: 'frontend-models', rest: ['pools', pool.id] })}>${model}</a
    ><span class="note"
      >${policyLabel(pool.policy).toLowerCase()}:
      ${members.length === 0 ? 'no members' : members.join(', ')}</span
    ></span
  >`;
}
