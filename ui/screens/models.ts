// Defines the screen of models and the price sync.

import { html, nothing } from 'lit';

import { list } from '../api/http/call.ts';
import '../elements/empty.ts';
import { loaded, failureNotice } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import { modelStates, modelStatesOf } from '../lib/providers/model-use.ts';
import { narrowed } from '../lib/text/narrow.ts';
import { priceWarnings } from '../lib/providers/price-check.ts';
import { historyOf } from '../parts/entity-history.ts';
import { narrowedBy } from '../parts/narrowed.ts';
import { RecordScreen } from '../parts/record-screen.ts';
import { byState } from '../parts/state-segments.ts';
import type { Save } from '../lib/saves/save.ts';
import { linkTo } from '../state/location.ts';
import { record } from '../styles/record.ts';
import { attachFormOf } from './models/attach.ts';
import { readColumns, writeColumns } from './models/columns.ts';
import { flowFormOf } from './models/flow.ts';
import './models/form.ts';
import { loadModels } from './models/load.ts';
import type { ModelRow } from './models/load.ts';
import type { PriceEdit } from './models/price.ts';
import './models/price-versions.ts';
import './models/prices.ts';
import { modelRecord } from './models/record.ts';
import { deleteSave, priceSave } from './models/saves.ts';

const text = {
  heading: 'Models',
  about: 'Models offered by your providers, with prices and health',
  add: 'Create model',
  sync: 'Sync prices',
  back: 'Back to models',
  pricesHeading: 'Price sync',
  pricesAbout: 'Import list prices by upstream model name',
  applied:
    'Applies exactly these prices. If the price lists changed in the meantime, nothing is applied. ' +
    'Recorded requests keep their cost.',
  empty: 'No models yet',
  emptyAbout:
    'Register models from the page of their provider. Create a model here if its provider does not list it.',
  toProviders: 'Go to providers',
  states: 'Models by state',
};

const priced = html`<p>${text.applied}</p>`;

class ScreenModels extends RecordScreen {
  static override styles = [RecordScreen.styles, record].flat();
  protected override readonly screen = 'models';
  readonly #models = new Resource(this, loadModels, { pollMs: 15_000 });
  readonly #providers = new Resource(this, (signal) => list('/admin/providers', { signal }));

  protected override reload(): Promise<void> {
    return this.#models.reload();
  }

  protected override render() {
    const isPrices = this.rest[0] === 'prices' && this.isWritable();
    return isPrices
      ? html`${this.#prices()} ${this.asking(priced)}`
      : html`${this.#page()} ${this.asking()}`;
  }

  #prices() {
    return html`<gw-page heading=${text.pricesHeading} about=${text.pricesAbout}>
      <a slot="actions" class="button" href=${this.link()}>${text.back}</a>
      <gw-price-sync
        @gw-review=${({ detail }: CustomEvent<Save>) => this.ask(detail)}
      ></gw-price-sync>
    </gw-page>`;
  }

  #page() {
    const { value: rows } = this.#models;
    return html`<gw-page heading=${text.heading} about=${text.about}>
        ${this.isWritable() ? this.#pageActions() : nothing} ${failureNotice(this.#models)}
        ${loaded(this.#models, (all) => this.#list(all), { empty: () => this.#empty() })}
      </gw-page>
      ${this.#opened(this.openedIn(rows))}`;
  }

  #pageActions() {
    return html`<a slot="actions" class="button" href=${this.link('prices')}
        ><gw-icon name="refresh-cw"></gw-icon>${text.sync}</a
      >
      <a slot="actions" class="button primary" href=${this.link('new')}
        ><gw-icon name="plus"></gw-icon>${text.add}</a
      >`;
  }

  #empty() {
    return html`<gw-empty
      heading=${text.empty}
      icon="boxes"
      command="gw import --config config.yaml"
    >
      <span slot="about">${text.emptyAbout}</span>
      <a class="button primary" href=${linkTo({ screen: 'providers' })}>${text.toProviders}</a>
    </gw-empty>`;
  }

  /** All models, or those of one provider. */
  #list(all: readonly ModelRow[]) {
    const { provider = '' } = this.query;
    const own = narrowed(all, provider, ({ provider_id }) => [provider_id]);
    const whose = own[0]?.provider_name ?? `provider ${provider}`;
    const states = modelStates.map((value) => ({ value, label: value }));
    const label = text.states;
    const { rows, bar } = byState({ label, states, rows: own, statesOf: modelStatesOf }, this);
    return html`<div @gw-price=${this.#onPrice}>
      ${this.table({
        label: text.heading,
        noun: 'model',
        columns: this.isWritable() ? writeColumns : readColumns,
        rows,
        isStale: this.#models.failure !== null,
        bar: html`${narrowedBy({
          asked: provider,
          words: `Provider: ${whose}`,
          href: this.viewLink({ provider: '' }),
        })}${bar}`,
      })}
    </div>`;
  }

  /** `/new`, `/7`, `/7/edit`, `/7/attach`, `/7/flow`. After its creation a model needs a provider. */
  #opened(model: ModelRow | null) {
    const form = this.#form(model);
    const part = this.aspect();
    const prefix = part === 'flow' ? 'Flow control of ' : part === 'attach' ? 'Attach ' : '';
    return this.drawer({
      heading: this.isNew() ? text.add : `${prefix}${model?.name ?? ''}`,
      actions:
        model === null || form !== null ? nothing : this.actionsFor(model, () => deleteSave(model)),
      content: form ?? (model === null ? null : this.#record(model)),
    });
  }

  #form(model: ModelRow | null) {
    const { failure } = this;
    const part = this.aspect();
    if (this.isNew() || (model !== null && part === 'edit')) {
      return html`<gw-model-form .row=${model} .failure=${failure}></gw-model-form>`;
    }
    if (model !== null && part === 'attach' && model.backend === null) {
      return attachFormOf(model, this.#providers.value ?? [])(failure);
    }
    if (model !== null && part === 'flow' && model.backend !== null) {
      return flowFormOf(model)(failure);
    }
    return null;
  }

  #record(model: ModelRow) {
    return html`${modelRecord(model, this)}
      <gw-price-versions .model=${model.id} .version=${model.version}></gw-price-versions>
      ${historyOf('model', model)}`;
  }

  override ask(save: Save): void {
    const { before, after } = save;
    const rows = this.#models.value ?? [];
    const others = rows.filter(({ id }) => id !== before?.['id']);
    const warnings =
      before === null || after === null ? [] : priceWarnings({ before, after, others });
    super.ask({ ...save, warnings });
  }

  readonly #onPrice = ({ detail }: CustomEvent<PriceEdit>): void => {
    const model = this.#models.value?.find(({ id }) => id === detail.id);
    if (model !== undefined) this.ask(priceSave(model, detail));
  };
}

customElements.define('gw-screen-models', ScreenModels);
