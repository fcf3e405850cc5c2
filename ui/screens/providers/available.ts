// Lists the models that a provider serves now. Selected models are registered with this provider.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, given, state } from '../../elements/element.ts';
import { call } from '../../api/http/call.ts';
import type { AvailableModel, Provider } from '../../api/records.ts';
import '../../elements/badge.ts';
import '../../elements/error.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/table/table.ts';
import type { Column } from '../../elements/table/table.ts';
import { formatCount, formatNumber } from '../../lib/text/format.ts';
import { registeredMax } from '../../lib/providers/registration.ts';
import { isReadOnly } from '../../state/as-of.ts';
import { may } from '../../state/session.ts';
import { base, buttons } from '../../styles/base.ts';
import { registrationOf } from './saves.ts';

const columns: readonly Column<AvailableModel>[] = [
  { id: 'id', label: 'Model', value: ({ id }) => id },
  {
    id: 'context_length',
    label: 'Context',
    end: true,
    value: ({ context_length }) => context_length,
    cell: ({ context_length }) =>
      context_length === null ? 'unknown' : formatNumber(context_length),
  },
  {
    id: 'registered',
    label: 'Registered',
    value: ({ registered }) => (registered ? 'yes' : 'no'),
    cell: ({ registered }) =>
      registered ? html`<gw-badge tone="good">registered</gw-badge>` : nothing,
  },
];

/** Dispatches `gw-review` with the save. */
class GwAvailableModels extends element({
  provider: given<Provider>(),
  ticked: state<ReadonlySet<string | number>>(),
}) {
  static override styles = [
    base,
    buttons,
    css`
      gw-table {
        --table-height: 22rem;
      }

      .act {
        display: flex;
        align-items: center;
        gap: var(--space-2);
        margin-top: var(--space-2);
      }
    `,
  ];
  readonly #served = new Resource(this, async (signal) => {
    const { body } = await call('GET', '/admin/providers/{id}/available-models', {
      params: { id: this.provider.id },
      signal,
    });
    return body;
  });

  constructor() {
    super();
    this.ticked = new Set();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('provider');
    if (before === undefined || before.model_count === this.provider.model_count) return;
    this.ticked = new Set();
    void this.#served.reload();
  }

  protected override render() {
    const { value: served, failure } = this.#served;
    if (served === undefined && failure === null) {
      return html`<p class="quiet" role="status">Loading models from ${this.provider.name}…</p>`;
    }
    return html`<gw-error
        retriable
        .failure=${failure}
        @gw-retry=${() => this.#served.reload()}
      ></gw-error>
      ${served === undefined ? nothing : this.#table(served)}`;
  }

  #table(served: readonly AvailableModel[]) {
    const isOffered = may('config:write') && !isReadOnly();
    const chosen = this.#chosen(served);
    return html`<gw-table
        label="Models of ${this.provider.name}"
        noun="model"
        .columns=${columns}
        .rows=${served}
        .keyOf=${({ id }: AvailableModel) => id}
        .ticked=${isOffered ? this.ticked : null}
        @gw-tick=${this.#onTick}
      ></gw-table>
      ${
        isOffered
          ? html`<div class="act">
              <button
                type="button"
                class="primary"
                ?disabled=${chosen.length === 0 || chosen.length > registeredMax}
                @click=${() => this.#register(chosen)}
              >
                Register ${formatCount(chosen.length, 'model')}
              </button>
              ${
                chosen.length > registeredMax
                  ? html`<span class="quiet">At most ${registeredMax} at once</span>`
                  : nothing
              }
            </div>`
          : nothing
      }`;
  }

  /** Skips registered models. */
  #chosen(served: readonly AvailableModel[]): readonly AvailableModel[] {
    return served.filter(({ id, registered }) => !registered && this.ticked.has(id));
  }

  readonly #onTick = ({ detail }: CustomEvent<ReadonlySet<string | number>>): void => {
    this.ticked = detail;
  };

  #register(chosen: readonly AvailableModel[]): void {
    const detail = registrationOf(this.provider, chosen);
    this.dispatchEvent(new CustomEvent('gw-review', { detail, bubbles: true }));
  }
}

customElements.define('gw-available-models', GwAvailableModels);
