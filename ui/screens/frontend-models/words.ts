// Draws the facts of a frontend model, and what the deletion of a frontend model, pool or rule affects.

import { html, nothing } from 'lit';

import type { FrontendModel } from '../../api/records.ts';
import '../../elements/copy.ts';
import { formatCount, formatNumber } from '../../lib/text/format.ts';
import { jumpsTo } from '../../lib/routing/frontend-model-draft.ts';
import { linkTo } from '../../state/location.ts';
import type { PoolRow } from './columns.ts';
import type { Routing } from './load.ts';

export function factsOf(one: FrontendModel, { frontendModels }: Routing) {
  const { id, name, max_model_len: tokens } = one;
  const jumps = jumpsTo(id, frontendModels);
  return html`<div class="facts">
    <span>ID ${id}<gw-copy text=${String(id)} label="id"></gw-copy></span>
    <span>Model name <code>${name}</code><gw-copy text=${name} label="name"></gw-copy></span>
    <span
      >Context window:
      ${tokens === null ? 'smallest of its models' : `${formatNumber(tokens)} tokens`}</span
    >
    <span
      ><a href=${linkTo({ screen: 'usage', rest: ['virtual_model', name] })}>View usage</a></span
    >
    ${
      jumps.length === 0
        ? nothing
        : html`<span
            >Jumps from:
            ${jumps.map(
              (jump) =>
                html`<a href=${linkTo({ screen: 'frontend-models', rest: [jump.id] })}
                  >${jump.name} ${jump.rule}</a
                >`,
            )}</span
          >`
    }
  </div>`;
}

export function poolBreakage({ users }: PoolRow) {
  if (users.length === 0) return html`<p>No frontend model uses this pool.</p>`;
  const count = formatCount(users.length, 'frontend model still uses', 'frontend models still use');
  const text = users.map(({ name, where }) => `${name} (${where.join(', ')})`).join(', ');
  return html`<p>${count} this pool. Remove it from them first:</p>
    <p><code>${text}</code></p>`;
}

export function modelBreakage(one: FrontendModel, { frontendModels }: Routing) {
  const jumps = jumpsTo(one.id, frontendModels);
  return html`<p>
      Requests for <code>${one.name}</code> will be rejected. This also deletes
      ${formatCount(one.rules.length, 'rule')}.
    </p>
    ${
      jumps.length === 0
        ? nothing
        : html`<p>These rules continue here and will no longer match:</p>
            <p><code>${jumps.map(({ name, rule }) => `${name} ${rule}`).join(', ')}</code></p>`
    }`;
}

export const ruleBreakage = ({ name }: FrontendModel) =>
  html`<p>
    Requests to <code>${name}</code> that match this rule continue with the rules after it.
  </p>`;
