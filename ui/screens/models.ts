// Models: what providers serve, at which price, and who comes to it. The list, one of them beside it, a new one, and prices as public
// lists have them.

import { LitElement, html, nothing } from 'lit';
import { keyed } from 'lit/directives/keyed.js';

import { asFailure } from '../api/failure.ts';
import type { ApiFailure } from '../api/failure.ts';
import { createModel } from '../api/models.ts';
import { listProviders } from '../api/providers.ts';
import '../elements/drawer.ts';
import '../elements/empty.ts';
import '../elements/error.ts';
import '../elements/icon.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/segments.ts';
import '../elements/table.ts';
import { Watch } from '../elements/watch.ts';
import type { ModelBody, ModelChange } from '../lib/model-draft.ts';
import { modelStates, modelStatesOf } from '../lib/model-use.ts';
import { withQuery } from '../lib/place.ts';
import '../parts/save.ts';
import type { Save } from '../parts/save.ts';
import { isReadOnly } from '../state/as-of.ts';
import { linkTo, openRest, place } from '../state/location.ts';
import { announce } from '../state/publication.ts';
import { may } from '../state/session.ts';
import { keepView, tableView } from '../state/table-view.ts';
import { base, buttons } from '../styles/base.ts';
import './models/attach.ts';
import { readColumns, usesText, writeColumns } from './models/columns.ts';
import './models/flow.ts';
import './models/form.ts';
import { loadModels } from './models/load.ts';
import type { ModelRow } from './models/load.ts';
import type { PriceEdit } from './models/price.ts';
import './models/prices.ts';
import './models/record.ts';
import { changeSave, deleteSave, detachSave, priceSave } from './models/saves.ts';

class ScreenModels extends LitElement {
  static override properties = {
    save: { state: true },
    broken: { state: true },
    busy: { state: true },
    failure: { state: true },
  };
  static override styles = [base, buttons];
  declare save: Save | null;
  /** The one that a dangerous save takes something from. */
  declare broken: ModelRow | null;
  declare busy: boolean;
  declare failure: ApiFailure | null;
  readonly #place = new Watch(this, place);
  readonly #models = new Resource(this, loadModels, { pollMs: 15_000 });
  readonly #providers = new Resource(this, listProviders);

  constructor() {
    super();
    this.save = null;
    this.broken = null;
    this.busy = false;
    this.failure = null;
  }

  protected override render() {
    const isPrices = this.#place.value.rest[0] === 'prices' && this.#isWritable();
    return html`${isPrices ? this.#prices() : this.#list()}
      <gw-save
        .save=${this.save}
        @gw-close=${this.#closeSave}
        @gw-saved=${this.#onSaved}
        @gw-refused=${this.#onRefused}
        >${this.#breakage()}</gw-save
      >`;
  }

  #isWritable(): boolean {
    return may('config:write') && !isReadOnly();
  }

  #link(...rest: readonly (string | number)[]): string {
    return linkTo({ screen: 'models', rest, query: this.#place.value.query });
  }

  #prices() {
    return html`<gw-page
      heading="Price sync"
      about="Prices of models as public lists have them, by the name that their provider knows them by"
    >
      <a slot="actions" class="button" href=${this.#link()}>Back to models</a>
      <gw-price-sync
        @gw-priced=${() => {
          void this.#models.reload();
          openRest([]);
        }}
      ></gw-price-sync>
    </gw-page>`;
  }

  #list() {
    const { value: rows, failure } = this.#models;
    return html`<gw-page
        heading="Models"
        about="What providers serve, and at which price. Clients call them by frontend models, or by name."
      >
        ${this.#isWritable() ? this.#pageActions() : nothing}
        <gw-error retriable .failure=${failure} @gw-retry=${() => this.#models.reload()}></gw-error>
        ${rows === undefined ? nothing : rows.length === 0 ? this.#empty() : this.#table(rows)}
      </gw-page>
      ${this.#drawer(rows ?? [])}`;
  }

  #pageActions() {
    return html`<a slot="actions" class="button" href=${this.#link('prices')}
        ><gw-icon name="refresh-cw"></gw-icon>Sync prices</a
      >
      <a slot="actions" class="button primary" href=${this.#link('new')}
        ><gw-icon name="plus"></gw-icon>Add model</a
      >`;
  }

  #empty() {
    return html`<gw-empty heading="No models yet" icon="boxes" command="gw import config.yaml">
      <span slot="about"
        >A provider is asked for its models on its own page, where they are registered by ticking
        them. A model that it does not list is added here.</span
      >
      <a class="button primary" href=${linkTo({ screen: 'providers' })}>See providers</a>
    </gw-empty>`;
  }

  #table(rows: readonly ModelRow[]) {
    const chosen = this.#place.value.query['state'] ?? '';
    const shown = chosen === '' ? rows : rows.filter((row) => modelStatesOf(row).includes(chosen));
    return html`<gw-table
      label="Models"
      noun="model"
      .columns=${this.#isWritable() ? writeColumns : readColumns}
      .rows=${shown}
      .view=${tableView()}
      .hrefOf=${(one: ModelRow) => this.#link(one.id)}
      .chosen=${Number(this.#place.value.rest[0])}
      ?stale=${this.#models.failure !== null}
      @gw-view=${keepView}
      @gw-price=${this.#onPrice}
      ><gw-segments
        slot="bar"
        label="Models by what they lack"
        .segments=${this.#segments(rows)}
        chosen=${chosen}
      ></gw-segments
    ></gw-table>`;
  }

  #segments(rows: readonly ModelRow[]) {
    const href = (value: string): string => {
      const { screen, query } = withQuery(this.#place.value, { state: value, page: null });
      return linkTo({ screen, query });
    };
    const countOf = (value: string): number =>
      rows.filter((row) => modelStatesOf(row).includes(value)).length;
    return [
      { value: '', label: 'all', count: rows.length, href: href('') },
      ...modelStates.map((value) => ({
        value,
        label: value,
        count: countOf(value),
        href: href(value),
      })),
    ];
  }

  /** `/new`, `/7`, `/7/edit`, `/7/attach`, `/7/flow`. */
  #drawer(rows: readonly ModelRow[]) {
    const [first, second] = this.#place.value.rest;
    const model = rows.find(({ id }) => String(id) === first) ?? null;
    const isWritable = this.#isWritable();
    const isNew = first === 'new' && isWritable;
    const part = isWritable ? second : undefined;
    const prefix = part === 'flow' ? 'Flow control of ' : part === 'attach' ? 'Attach ' : '';
    return html`<gw-drawer
      heading=${isNew ? 'Add a model' : `${prefix}${model?.name ?? ''}`}
      ?open=${isNew || model !== null}
      @gw-close=${this.#close}
    >
      ${keyed(
        `${first}/${part}`,
        isNew ? this.#form(null) : model === null ? nothing : this.#part(model, part),
      )}
    </gw-drawer>`;
  }

  #part(model: ModelRow, part: string | undefined) {
    const cancel = (): void => {
      this.failure = null;
      openRest([model.id]);
    };
    const review = ({ detail }: CustomEvent<Save>): void => this.#ask(detail);
    if (part === 'edit') return this.#form(model);
    if (part === 'attach' && model.backend === null) {
      return html`<gw-attach-form
        .model=${model}
        .providers=${this.#providers.value ?? []}
        .failure=${this.failure}
        @gw-review=${review}
        @gw-cancel=${cancel}
      ></gw-attach-form>`;
    }
    if (part === 'flow' && model.backend !== null) {
      return html`<gw-flow-form
        .model=${model}
        .failure=${this.failure}
        @gw-review=${review}
        @gw-cancel=${cancel}
      ></gw-flow-form>`;
    }
    return html`${this.#actions(model)}<gw-model-record
        .model=${model}
        ?writable=${this.#isWritable()}
        @gw-detach=${() => this.#ask(detachSave(model), model)}
      ></gw-model-record>`;
  }

  #form(model: ModelRow | null) {
    return html`<gw-model-form
      .model=${model}
      .failure=${this.failure}
      ?busy=${this.busy}
      @gw-review=${({ detail }: CustomEvent<ModelBody & ModelChange>) =>
        model === null ? this.#create(detail) : this.#ask(changeSave(model, detail))}
      @gw-cancel=${() => (model === null ? this.#close() : openRest([model.id]))}
    ></gw-model-form>`;
  }

  #actions(model: ModelRow) {
    if (!this.#isWritable()) return nothing;
    return html`<a slot="actions" class="button" href=${this.#link(model.id, 'edit')}
        ><gw-icon name="pencil"></gw-icon>Change</a
      >
      <button slot="actions" type="button" @click=${() => this.#ask(deleteSave(model), model)}>
        <gw-icon name="trash-2"></gw-icon>Delete
      </button>`;
  }

  /** Nothing is there before it, so there is nothing to compare. What comes next is its provider. */
  async #create(body: ModelBody): Promise<void> {
    this.busy = true;
    this.failure = null;
    try {
      const made = await createModel(body);
      void announce({ text: `Model ${body.name} added`, version: made.snapshotVersion });
      await this.#models.reload();
      openRest([made.body.id, 'attach']);
    } catch (error) {
      this.failure = asFailure(error);
    } finally {
      this.busy = false;
    }
  }

  readonly #onPrice = ({ detail }: CustomEvent<PriceEdit>): void => {
    const model = this.#models.value?.find(({ id }) => id === detail.id);
    if (model !== undefined) this.#ask(priceSave(model, detail));
  };

  #ask(save: Save, broken: ModelRow | null = null): void {
    this.failure = null;
    this.broken = broken;
    this.save = save;
  }

  #breakage() {
    const { broken, save } = this;
    if (broken === null || save?.danger !== true) return nothing;
    const uses = usesText(broken);
    return html`<p>
        ${
          uses.length === 0
            ? 'No frontend model and no pool comes to it. Whoever calls it by its name is refused.'
            : 'It is passed over from then on by what comes to it, which is refused where nothing else is left:'
        }
      </p>
      ${uses.map((text) => html`<p><code>${text}</code></p>`)}
      <p class="quiet">Its provider and its recorded usage stay.</p>`;
  }

  readonly #close = (): void => {
    this.failure = null;
    openRest([]);
  };

  readonly #closeSave = (): void => {
    this.save = null;
  };

  readonly #onSaved = async (): Promise<void> => {
    const isDeletion = this.save?.heading.startsWith('Delete') === true;
    const [id] = this.#place.value.rest;
    this.save = null;
    await this.#models.reload();
    openRest(isDeletion || id === undefined ? [] : [id]);
  };

  /** Back to the form, to the field that is wrong. */
  readonly #onRefused = ({ detail }: CustomEvent<ApiFailure>): void => {
    if (this.#place.value.rest[1] === undefined) return;
    this.save = null;
    this.failure = detail;
  };
}

customElements.define('gw-screen-models', ScreenModels);
