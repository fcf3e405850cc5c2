// Defines the screen of frontend models: their rules with a dry run, pools, and the global fallback model.

import { css, html, nothing } from 'lit';
import { keyed } from 'lit/directives/keyed.js';

import { list } from '../api/http/call.ts';
import type { FrontendModel } from '../api/records.ts';
import '../elements/empty.ts';
import '../elements/icon.ts';
import { loaded, failureNotice } from '../elements/loaded.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import '../elements/segments.ts';
import '../elements/table/table.ts';
import { partPlace } from '../lib/history/part-place.ts';
import { copyRecord } from '../parts/copy-record.ts';
import { historyOf } from '../parts/entity-history.ts';
import { RecordScreen } from '../parts/record-screen.ts';
import type { Save } from '../lib/saves/save.ts';
import { record } from '../styles/record.ts';
import { linkTo, openRest, replaceRest } from '../state/location.ts';
import { frontendModelColumns } from './frontend-models/columns.ts';
import type { PoolRow } from './frontend-models/columns.ts';
import { fallbackFormOf } from './frontend-models/fallback-form.ts';
import { frontendModelFormOf } from './frontend-models/form.ts';
import { loadRouting, memberOptions, targetOptions } from './frontend-models/load.ts';
import type { Routing } from './frontend-models/load.ts';
import { poolFormOf } from './frontend-models/pool-form.ts';
import { poolRecord } from './frontend-models/pool-record.ts';
import { noPools, poolActions, poolRows, poolTable, poolsPart } from './frontend-models/pools.ts';
import { frontendModelDeletion, poolDeletion } from './frontend-models/saves.ts';
import { factsOf, modelBreakage, poolBreakage, ruleBreakage } from './frontend-models/words.ts';
import './frontend-models/workspace.ts';

const text = {
  heading: 'Frontend models',
  about: 'Public model names. Rules are evaluated top to bottom.',
  add: 'Create frontend model',
  addPool: 'Create pool',
  fallback: 'Global fallback model',
  switcher: 'Frontend models or pools',
  empty: 'No frontend models yet',
  emptyAbout:
    'A frontend model is a public name such as "chat". Its rules decide which model serves a request. ' +
    'You can test rules before you publish them.',
  toPools: 'Go to pools',
};

const fallbackPart = 'fallback';

class ScreenFrontendModels extends RecordScreen {
  static override styles = [
    RecordScreen.styles,
    record,
    css`
      .weight {
        color: var(--text-2);
        font-variant-numeric: tabular-nums;
      }

      .facts {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-1) var(--space-4);
        margin-bottom: var(--space-4);
        color: var(--text-2);
      }

      .facts span {
        display: inline-flex;
        align-items: center;
        gap: var(--space-1);
      }
    `,
  ].flat();
  protected override readonly screen = 'frontend-models';
  readonly #routing = new Resource(this, loadRouting, { pollMs: 30_000 });

  protected override reload(): Promise<void> {
    return this.#routing.reload();
  }

  /** `/`, `/new`, `/fallback`, `/7`, `/7/edit`, `/7/rules/12`, `/7/rules/new/12`, `/pools`, `/pools/new`, `/pools/3`, `/pools/3/edit`. */
  protected override render() {
    const { value: routing } = this.#routing;
    const opened = routing === undefined ? null : this.openedIn(routing.frontendModels);
    return html`${
      routing === undefined
        ? this.#page(loaded(this.#routing, () => nothing))
        : opened === null
          ? this.#lists(routing)
          : this.#workspace(opened, routing)
    }
    ${routing === undefined ? nothing : this.#drawers(routing, opened)}
    ${this.asking(routing === undefined ? nothing : this.#breakage(routing, opened))}`;
  }

  /** An address with the id of a part opens its owner. */
  protected override updated(): void {
    const { value: routing } = this.#routing;
    const place = routing === undefined ? null : partPlace(this.rest, routing);
    if (place !== null) replaceRest(place);
  }

  /** The page below the drawer. */
  #behind(): readonly string[] {
    const [first = '', second] = this.rest;
    if (first === poolsPart) return second === undefined ? [] : [poolsPart];
    return second === undefined ? [] : [first];
  }

  protected override readonly close = (): void => openRest(this.#behind());

  protected override readonly cancel = (): void => {
    const [first, second, third] = this.rest;
    if (first === poolsPart && second !== undefined && third !== undefined) {
      openRest([first, second]);
    } else openRest(this.#behind());
  };

  protected override hasForm(): boolean {
    const [first, second, third] = this.rest;
    if (first === poolsPart) return second === 'new' || third === 'edit';
    return first === 'new' || first === fallbackPart || second !== undefined;
  }

  #isPools(): boolean {
    return this.rest[0] === poolsPart;
  }

  #page(content: unknown) {
    return html`<gw-page heading=${text.heading} about=${text.about}
      >${this.#failed()}${content}</gw-page
    >`;
  }

  #failed() {
    return failureNotice(this.#routing);
  }

  #lists(routing: Routing) {
    return this.#page(
      html`${this.#adders()} ${this.#fallback(routing)}
      ${this.#isPools() ? this.#pools(routing) : this.#models(routing)}`,
    );
  }

  #adders() {
    if (!this.isWritable()) return nothing;
    const label = this.#isPools() ? text.addPool : text.add;
    const href = this.#isPools() ? this.link(poolsPart, 'new') : this.link('new');
    return html`<a slot="actions" class="button primary" href=${href}
      ><gw-icon name="plus"></gw-icon>${label}</a
    >`;
  }

  #fallback({ fallback }: Routing) {
    return html`<div class="facts">
      <span
        >Global fallback model:
        ${
          fallback === null
            ? html`<strong>none</strong>`
            : html`<a href=${linkTo({ screen: 'models', rest: [fallback.id] })}
                >${fallback.name}</a
              >`
        }</span
      >
      ${
        this.isWritable()
          ? html`<a href=${this.link(fallbackPart)}>${fallback === null ? 'Set' : 'Edit'}</a>`
          : nothing
      }
    </div>`;
  }

  #segments({ frontendModels, pools }: Routing) {
    return html`<gw-segments
      slot="bar"
      label=${text.switcher}
      chosen=${this.#isPools() ? poolsPart : ''}
      .segments=${[
        {
          value: '',
          label: 'frontend models',
          count: frontendModels.length,
          href: linkTo({ screen: this.screen }),
        },
        {
          value: poolsPart,
          label: 'pools',
          count: pools.length,
          href: linkTo({ screen: this.screen, rest: [poolsPart] }),
        },
      ]}
    ></gw-segments>`;
  }

  #models(routing: Routing) {
    const { frontendModels, pools } = routing;
    if (frontendModels.length === 0 && pools.length === 0) return this.#empty();
    return this.table({
      label: text.heading,
      noun: 'frontend model',
      columns: frontendModelColumns,
      rows: frontendModels,
      isStale: this.#routing.failure !== null,
      bar: this.#segments(routing),
    });
  }

  #empty() {
    return html`<gw-empty
      heading=${text.empty}
      icon="route"
      command="gw import --config config.yaml"
    >
      <span slot="about">${text.emptyAbout}</span>
      ${
        this.isWritable()
          ? html`<a class="button primary" href=${this.link('new')}>${text.add}</a>
              <a class="button" href=${this.link(poolsPart)}>${text.toPools}</a>`
          : nothing
      }
    </gw-empty>`;
  }

  #pools(routing: Routing) {
    const rows = poolRows(routing);
    if (rows.length === 0) return noPools(this.isWritable() ? this.link(poolsPart, 'new') : null);
    return poolTable({
      rows,
      chosen: Number(this.rest[1]),
      isStale: this.#routing.failure !== null,
      bar: this.#segments(routing),
      hrefOf: ({ id }) => this.link(poolsPart, id),
    });
  }

  #workspace(one: FrontendModel, routing: Routing) {
    return html`<gw-page heading=${one.name} about=${one.description ?? ''}>
      <a slot="above" href=${linkTo({ screen: this.screen })}
        ><gw-icon name="chevron-left"></gw-icon>${text.heading}</a
      >
      ${copyRecord(this.screen, one, async () => ({
        principal: new Map((await list('/admin/principals')).map(({ id, name }) => [id, name])),
        frontendModel: new Map(routing.frontendModels.map(({ id, name }) => [id, name])),
      }))}
      ${
        this.isWritable()
          ? html`${this.changeLink(one.id)}
              <button
                slot="actions"
                type="button"
                class="plain danger"
                @click=${() => this.ask(frontendModelDeletion(one))}
              >
                <gw-icon name="trash-2"></gw-icon>Delete
              </button>`
          : nothing
      }
      ${this.#failed()} ${factsOf(one, routing)} ${keyed(one.id, this.#rules(one, routing))}
      ${historyOf('frontend_model', one)}
    </gw-page>`;
  }

  /** Each frontend model has its own dry run and its own unsaved order. */
  #rules(one: FrontendModel, routing: Routing) {
    const [, second, third = '', copied = ''] = this.rest;
    return html`<gw-rules-workspace
      .owner=${one}
      .routing=${routing}
      editing=${second === 'rules' ? third : ''}
      copying=${copied}
      .failure=${this.failure}
      ?writable=${this.isWritable()}
      @gw-review=${({ detail }: CustomEvent<Save>) => this.ask(detail)}
      @gw-cancel=${this.cancel}
    ></gw-rules-workspace>`;
  }

  #drawers(routing: Routing, opened: FrontendModel | null) {
    const [first, second] = this.rest;
    if (this.#isPools()) return this.#poolDrawer(routing);
    const isWritable = this.isWritable();
    if (first === fallbackPart && isWritable) {
      return this.drawer({
        heading: text.fallback,
        content: fallbackFormOf(routing.fallback, routing.models)(this.failure),
      });
    }
    const isEdit = second === 'edit' && isWritable;
    const isOpen = this.isNew() || (opened !== null && isEdit);
    return this.drawer({
      heading: opened === null ? text.add : `Change ${opened.name}`,
      content: isOpen ? frontendModelFormOf(opened, targetOptions(routing))(this.failure) : null,
    });
  }

  #openedPool(routing: Routing): PoolRow | null {
    return this.openedIn(poolRows(routing), this.rest[1]);
  }

  #poolDrawer(routing: Routing) {
    const [, second, third] = this.rest;
    const pool = this.#openedPool(routing);
    const isForm = this.isWritable() && (second === 'new' || (pool !== null && third === 'edit'));
    const content = isForm
      ? poolFormOf(pool, memberOptions(routing))(this.failure)
      : pool === null
        ? null
        : html`${poolRecord(pool)} ${historyOf('pool', pool)}`;
    return this.drawer({
      heading: pool === null ? text.addPool : pool.name,
      content,
      actions: pool === null || isForm ? nothing : this.#poolActions(pool),
    });
  }

  #poolActions(pool: PoolRow) {
    const changed = {
      edit: this.link(poolsPart, pool.id, 'edit'),
      remove: (): void => this.ask(poolDeletion(pool)),
    };
    return poolActions(pool, this.isWritable() ? changed : null);
  }

  #breakage(routing: Routing, opened: FrontendModel | null) {
    if (this.save?.danger !== true) return nothing;
    const pool = this.#openedPool(routing);
    if (this.#isPools() && pool !== null) return poolBreakage(pool);
    if (opened === null) return nothing;
    const isRule = this.save.name !== opened.name;
    return isRule ? ruleBreakage(opened) : modelBreakage(opened, routing);
  }
}

customElements.define('gw-screen-frontend-models', ScreenFrontendModels);
