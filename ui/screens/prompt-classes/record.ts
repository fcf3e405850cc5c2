// One prompt class: how it decides, the rules that ask for it, and its examples by id and label. Their texts are never shown.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, flag, given } from '../../elements/element.ts';
import { call } from '../../api/http/call.ts';
import type { PromptExample } from '../../api/records.ts';
import '../../elements/badge.ts';
import '../../elements/copy.ts';
import '../../elements/error.ts';
import '../../elements/icon.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/time.ts';
import { marginText } from '../../lib/routing/evaluation.ts';
import { formatNumber } from '../../lib/text/format.ts';
import { linkTo } from '../../state/location.ts';
import { base, buttons } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';
import type { ClassRow } from './load.ts';

const shownMax = 200;

/** Tells by `gw-remove` with the id of an example. */
class GwClassRecord extends element({
  row: given<ClassRow>(),
  writable: flag(),
}) {
  static override styles = [
    base,
    buttons,
    record,
    css`
      .examples {
        max-height: 22rem;
        overflow-y: auto;
      }

      code + code {
        margin-left: 0.25rem;
      }
    `,
  ];
  readonly #examples = new Resource(this, async (signal) => {
    const { body, headers } = await call('GET', '/admin/prompt-classes/{id}/examples', {
      params: { id: this.row.id },
      query: { limit: shownMax },
      signal,
    });
    return { rows: body, total: Number(headers.get('x-total-count') ?? body.length) };
  });

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.get('row') !== undefined) void this.#examples.reload();
  }

  protected override render() {
    const { id, name, description, tier, min_margin, refines, routable } = this.row;
    return html`${description === null ? nothing : html`<p class="notice">${description}</p>`}
      <dl>
        <dt>Id</dt>
        <dd>${id}<gw-copy text=${String(id)} label="id"></gw-copy></dd>
        <dt>Name</dt>
        <dd><code>${name}</code><gw-copy text=${name} label="name"></gw-copy></dd>
        <dt>State</dt>
        <dd>
          ${
            routable
              ? html`<gw-badge tone="good">routable</gw-badge>`
              : html`<gw-badge tone="warn">not routable</gw-badge>
                  <span class="quiet"
                    >${this.row.examples === 0 ? 'it has no example' : 'no encoder of its tier is there'}</span
                  >`
          }
        </dd>
        <dt>Tier</dt>
        <dd>${tier}</dd>
        <dt>Margin</dt>
        <dd>${marginText(min_margin)}</dd>
        ${
          tier === 'refined'
            ? html`<dt>Refines</dt>
                <dd>
                  ${refines.length === 0 ? 'nothing: it never contends' : refines.join(', ')}
                </dd>`
            : nothing
        }
      </dl>
      ${this.#askers()} ${this.#list()}`;
  }

  #askers() {
    const { askers } = this.row;
    return html`<div class="section"><h3>Used by</h3></div>
      ${
        askers.length === 0
          ? html`<p class="quiet">No rule asks for it.</p>`
          : html`<ul class="rows" aria-label="Used by">
              ${askers.map(
                ({ id, name, rules }) =>
                  html`<li>
                    <a href=${linkTo({ screen: 'frontend-models', rest: [id] })}>${name}</a>
                    <span class="quiet end"
                      >${rules.map((rule) => html`<code>${rule}</code>`)}</span
                    >
                  </li>`,
              )}
            </ul>`
      }`;
  }

  #list() {
    const { value: examples, failure } = this.#examples;
    return html`<div class="section">
        <h3>Examples <span class="quiet">${formatNumber(this.row.examples)}</span></h3>
        ${
          this.writable
            ? html`<a
                class="button"
                href=${linkTo({ screen: 'prompt-classes', rest: [this.row.id, 'examples'] })}
                ><gw-icon name="plus"></gw-icon>Add examples</a
              >`
            : nothing
        }
      </div>
      <gw-error retriable .failure=${failure} @gw-retry=${() => this.#examples.reload()}></gw-error>
      ${
        this.row.examples === 0
          ? html`<p class="notice warn">Without an example no prompt is of this class.</p>`
          : html`<ul class="rows examples" aria-label="Examples" tabindex="0">
              ${(examples?.rows ?? []).map((example) => this.#example(example))}
            </ul>`
      }
      ${
        examples === undefined || examples.total <= examples.rows.length
          ? nothing
          : html`<p class="quiet">The first ${examples.rows.length} of ${examples.total}.</p>`
      }`;
  }

  #example({ id, label, added_at }: PromptExample) {
    return html`<li>
      <code>#${id}</code> ${label === null ? nothing : html`<span>${label}</span>`}
      <span class="quiet">added <gw-time at=${added_at}></gw-time></span>
      ${
        this.writable
          ? html`<button
              type="button"
              class="plain icon end"
              aria-label="Remove example ${id}"
              title="Remove"
              @click=${() => this.dispatchEvent(new CustomEvent('gw-remove', { detail: id }))}
            >
              <gw-icon name="x"></gw-icon>
            </button>`
          : nothing
      }
    </li>`;
  }
}

customElements.define('gw-class-record', GwClassRecord);
