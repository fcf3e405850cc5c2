// Draws one pool: its policy, its members and the frontend models that use it.

import { html, nothing } from 'lit';

import '../../elements/badge.ts';
import { policies, policyLabel, sharesOf } from '../../lib/routing/pool.ts';
import { copied, facts, idFact, userRows } from '../../parts/facts.ts';
import { linkTo } from '../../state/location.ts';
import type { PoolRow } from './columns.ts';

export function poolRecord(pool: PoolRow) {
  const { id, name, description, policy, users } = pool;
  const about = policies.find(({ value }) => value === (policy ?? ''))?.about ?? '';
  return html`${description === null ? nothing : html`<p class="notice">${description}</p>`}
  ${facts([
    idFact(id),
    ['Name', copied(name, 'name', html`<code>${name}</code>`)],
    ['Policy', html`${policyLabel(policy)} <span class="quiet">${about}</span>`],
  ])}
  ${membersOf(pool)} ${userRows(users, (one) => one.where, 'No frontend model uses this pool.')}`;
}

function membersOf({ members, policy }: PoolRow) {
  const shares = sharesOf(members);
  const weightOf = (weight: number, index: number): string =>
    weight === 0
      ? 'weight 0, drained'
      : `weight ${weight}${policy === null ? `, ${shares[index]} %` : ''}`;
  return html`<div class="section"><h3>Members</h3></div>
    ${
      members.length === 0
        ? html`<p class="notice warn">No members. Requests routed to this pool fail.</p>`
        : html`<ul class="rows" aria-label="Members">
            ${members.map(
              ({ model, weight, provider_model_id: modelId }, index) =>
                html`<li>
                  ${
                    modelId === null
                      ? html`${model} <gw-badge tone="warn">deleted</gw-badge>`
                      : html`<a href=${linkTo({ screen: 'models', rest: [modelId] })}>${model}</a>`
                  }
                  <span class="weight end">${weightOf(weight, index)}</span>
                </li>`,
            )}
          </ul>`
    }`;
}
