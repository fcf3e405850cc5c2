// Playground: a real chat through the gateway, with a key that is pasted for it, as any client would send it; and what became of it.

import { LitElement, html, nothing } from 'lit';

import { getConfig } from '../api/config.ts';
import { listFrontendModels } from '../api/frontend-models.ts';
import { listModels } from '../api/models.ts';
import '../elements/error.ts';
import '../elements/field.ts';
import type { FieldInput } from '../elements/field.ts';
import '../elements/icon.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import { Watch } from '../elements/watch.ts';
import { takeHandedKey } from '../state/handed-key.ts';
import { changeQuery, linkTo, place } from '../state/location.ts';
import { may } from '../state/session.ts';
import { base, buttons } from '../styles/base.ts';
import { Chat } from './playground/chat.ts';
import { forbidden, unknownGateway } from './playground/closed.ts';
import { playgroundStyles } from './playground/styles.ts';
import { talkOf } from './playground/talk.ts';

class ScreenPlayground extends LitElement {
  static override properties = {
    key: { state: true },
    prompt: { state: true },
    system: { state: true },
    missing: { state: true },
  };
  static override styles = [base, buttons, playgroundStyles];
  /** Kept in the page alone. */
  declare key: string;
  declare prompt: string;
  declare system: string;
  /** The field that is needed. */
  declare missing: string;
  readonly #chat = new Chat(this);
  readonly #place = new Watch(this, place);
  readonly #names = new Resource(this, async (signal) => {
    const [frontend, models, config] = await Promise.all([
      listFrontendModels(signal),
      listModels(signal),
      getConfig(signal),
    ]);
    const names = [...frontend, ...models].map(({ name }) => name);
    return { names: [...new Set(names)], gateway: config.body.gateway_url };
  });

  constructor() {
    super();
    this.key = takeHandedKey();
    this.prompt = '';
    this.system = '';
    this.missing = '';
  }

  #model(): string {
    return this.#place.value.query['model'] ?? this.#names.value?.names[0] ?? '';
  }

  protected override render() {
    const { value, failure } = this.#names;
    return html`<gw-page
      heading="Playground"
      about="A real chat through the gateway, counted and limited as any client's"
    >
      ${may('config:write') ? nothing : forbidden()}
      <gw-error retriable .failure=${failure} @gw-retry=${() => this.#names.reload()}></gw-error>
      ${
        value === undefined || !may('config:write')
          ? nothing
          : value.gateway === null
            ? unknownGateway()
            : html`<div class="sides">${this.#question(value.names)} ${talkOf(this.#chat)}</div>`
      }
    </gw-page>`;
  }

  #question(names: readonly string[]) {
    const model = this.#model();
    const choices = [...new Set([...(model === '' ? [] : [model]), ...names])];
    const wrong = (name: string): string => (this.missing === name ? 'is needed' : '');
    return html`<section class="card ask" aria-label="Request" @gw-input=${this.#onInput}>
      <gw-field
        name="key"
        label="API key"
        type="password"
        hint="Pasted for this page alone: it is kept nowhere"
        mono
        required
        .value=${this.key}
        error=${wrong('key')}
      ></gw-field>
      ${
        choices.length === 0
          ? html`<p class="notice">
              No model is there yet. <a href=${linkTo({ screen: 'providers' })}>See providers</a>
            </p>`
          : html`<gw-field
              name="model"
              label="Model"
              type="select"
              required
              .choices=${choices.map((value) => ({ value, label: value }))}
              .value=${model}
            ></gw-field>`
      }
      <gw-field
        name="system"
        label="System prompt"
        .value=${this.system}
        placeholder="None"
      ></gw-field>
      <gw-field
        name="prompt"
        label="Message"
        type="textarea"
        required
        .value=${this.prompt}
        error=${wrong('prompt')}
        @keydown=${this.#onKey}
      ></gw-field>
      <gw-error .failure=${this.#chat.failure}></gw-error>
      <div class="acts">${this.#acts()}</div>
    </section>`;
  }

  #acts() {
    if (this.#chat.isAsking) {
      return html`<button type="button" @click=${this.#chat.stop}>
        <gw-icon name="square"></gw-icon>Stop
      </button>`;
    }
    return html`<button
        type="button"
        class="primary"
        ?disabled=${this.#model() === ''}
        @click=${this.#send}
      >
        <gw-icon name="send"></gw-icon>Send
      </button>
      ${
        this.#chat.turns.length === 0
          ? nothing
          : html`<button type="button" class="plain" @click=${this.#chat.forget}>New chat</button>`
      }`;
  }

  readonly #onInput = ({ detail: { name, value } }: CustomEvent<FieldInput>): void => {
    if (name === 'model') changeQuery({ model: value });
    else if (name === 'key' || name === 'prompt' || name === 'system') this[name] = value;
    this.missing = '';
  };

  readonly #onKey = ({ key, ctrlKey, metaKey }: KeyboardEvent): void => {
    if (key === 'Enter' && (ctrlKey || metaKey)) void this.#send();
  };

  readonly #send = async (): Promise<void> => {
    const { key, prompt, system } = this;
    const model = this.#model();
    if (model === '' || this.#chat.isAsking) return;
    this.missing = key.trim() === '' ? 'key' : prompt.trim() === '' ? 'prompt' : '';
    if (this.missing !== '') return;
    this.prompt = '';
    await this.#chat.send({ key: key.trim(), model, system, prompt });
    this.prompt = this.#chat.promptAgain(this.prompt);
  };
}

customElements.define('gw-screen-playground', ScreenPlayground);
