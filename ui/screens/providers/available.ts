// What a provider serves at this moment: ticked models are registered, each with this provider behind it.

import { LitElement, css, html, nothing } from 'lit';

import { asFailure } from '../../api/failure.ts';
import type { ApiFailure } from '../../api/failure.ts';
import { attachBackend, createModel } from '../../api/models.ts';
import { listAvailableModels } from '../../api/providers.ts';
import type { AvailableModel, Provider } from '../../api/providers.ts';
import '../../elements/badge.ts';
import '../../elements/error.ts';
import { Resource } from '../../elements/resource.ts';
import '../../elements/table.ts';
import type { Column } from '../../elements/table.ts';
import { formatCount, formatNumber } from '../../lib/format.ts';
import { isReadOnly } from '../../state/as-of.ts';
import { announce } from '../../state/publication.ts';
import { may } from '../../state/session.ts';
import { base, buttons } from '../../styles/base.ts';

const columns: readonly Column<AvailableModel>[] = [
  { id: 'id', label: 'Model', value: ({ id }) => id },
  {
    id: 'context_length',
    label: 'Context',
    end: true,
    value: ({ context_length }) => context_length,
    cell: ({ context_length }) =>
      context_length === null ? 'not said' : formatNumber(context_length),
  },
  {
    id: 'registered',
    label: 'Registered',
    value: ({ registered }) => (registered ? 'yes' : 'no'),
    cell: ({ registered }) =>
      registered ? html`<gw-badge tone="good">registered</gw-badge>` : nothing,
  },
];

/** Tells by `gw-registered` when models were added. */
export class GwAvailableModels extends LitElement {
  static override properties = {
    provider: { attribute: false },
    ticked: { state: true },
    busy: { state: true },
    failure: { state: true },
  };
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
  declare provider: Provider;
  declare ticked: ReadonlySet<string | number>;
  declare busy: string;
  declare failure: ApiFailure | null;
  readonly #served = new Resource(this, async (signal) => {
    const { body } = await listAvailableModels(this.provider.id, signal);
    return body;
  });

  constructor() {
    super();
    this.ticked = new Set();
    this.busy = '';
    this.failure = null;
  }

  protected override render() {
    const { value: served, failure } = this.#served;
    if (served === undefined && failure === null) {
      return html`<p class="quiet" role="status">Asking ${this.provider.name} …</p>`;
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
        label="Models that ${this.provider.name} serves"
        noun="model"
        .columns=${columns}
        .rows=${served}
        .keyOf=${({ id }: AvailableModel) => id}
        .ticked=${isOffered ? this.ticked : null}
        @gw-tick=${this.#onTick}
      ></gw-table>
      <gw-error .failure=${this.failure}></gw-error>
      ${
        isOffered
          ? html`<div class="act">
              <button
                type="button"
                class="primary"
                ?disabled=${chosen.length === 0 || this.busy !== ''}
                @click=${() => this.#register(chosen)}
              >
                Register ${formatCount(chosen.length, 'model')}
              </button>
              <span class="quiet" role="status">${this.busy}</span>
            </div>`
          : nothing
      }`;
  }

  /** What is registered already is not registered again. */
  #chosen(served: readonly AvailableModel[]): readonly AvailableModel[] {
    return served.filter(({ id, registered }) => !registered && this.ticked.has(id));
  }

  readonly #onTick = ({ detail }: CustomEvent<ReadonlySet<string | number>>): void => {
    this.ticked = detail;
  };

  /** One after the other; the first that is refused ends it, and those before it stand. */
  async #register(chosen: readonly AvailableModel[]): Promise<void> {
    this.failure = null;
    let version: number | null = null;
    let made = 0;
    try {
      for (const { id, context_length } of chosen) {
        this.busy = `Registering ${id} …`;
        const { body } = await createModel({ name: id, context_length });
        const backend = { provider_id: this.provider.id, upstream_model: id };
        ({ snapshotVersion: version } = await attachBackend(body.id, backend));
        made += 1;
      }
      this.ticked = new Set();
    } catch (error) {
      this.failure = asFailure(error);
    }
    this.busy = '';
    if (made > 0) void announce({ text: `${formatCount(made, 'model')} registered`, version });
    await this.#served.reload();
    this.dispatchEvent(new CustomEvent('gw-registered'));
  }
}

customElements.define('gw-available-models', GwAvailableModels);

declare global {
  interface HTMLElementTagNameMap {
    'gw-available-models': GwAvailableModels;
  }
}
