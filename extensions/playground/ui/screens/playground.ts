// Defines the Playground screen: a chat through the gateway with an API key, the request as code, and its routing decision.

import { html, nothing } from 'lit';

import { element, state } from '../../../../ui/elements/element.ts';
import { call, list } from '../../../../ui/api/http/call.ts';
import { asFailure } from '../../../../ui/api/http/failure.ts';
import type { ApiFailure } from '../../../../ui/api/http/failure.ts';
import '../../../../ui/elements/error.ts';
import '../../../../ui/elements/form/field.ts';
import type { FieldInput } from '../../../../ui/elements/form/field.ts';
import '../../../../ui/elements/icon.ts';
import '../../../../ui/elements/page.ts';
import { Resource } from '../../../../ui/elements/resource.ts';
import { Watch } from '../../../../ui/elements/watch.ts';
import { messagesOf } from '../chat-turns.ts';
import { takeHandedKey } from '../handed-key.ts';
import { changeQuery, linkTo, place } from '../../../../ui/state/location.ts';
import { may, session } from '../../../../ui/state/session.ts';
import { base, buttons } from '../../../../ui/styles/base.ts';
import { Chat } from '../chat.ts';
import { forbidden, unknownGateway } from '../closed.ts';
import '../request-code.ts';
import { playgroundStyles } from '../styles.ts';
import { talkOf } from '../talk.ts';

const keyLifeMs = 3_600_000;

const ownFields = ['key', 'prompt', 'system', 'temperature', 'maxTokens'] as const;

const isOwnField = (name: string): name is (typeof ownFields)[number] =>
  ownFields.some((one) => one === name);

const numberIn = (typed: string): number | null => (typed.trim() === '' ? null : Number(typed));

class ScreenPlayground extends element({
  /** Kept in memory only. */
  key: state<string>(takeHandedKey()),
  prompt: state(''),
  system: state(''),
  /** If empty, the model chooses. */
  temperature: state(''),
  maxTokens: state(''),
  /** The required field that is empty. */
  missing: state(''),
  /** Set if no key could be created. */
  failure: state<ApiFailure | null>(null),
}) {
  static override styles = [base, buttons, playgroundStyles];
  readonly #chat = new Chat(this);
  readonly #place = new Watch(this, place);
  readonly #names = new Resource(this, async (signal) => {
    const [frontend, models, config] = await Promise.all([
      list('/admin/frontend-models', { signal }),
      list('/admin/provider-models', { signal }),
      call('GET', '/admin/config', { signal }),
    ]);
    const names = [...frontend, ...models].map(({ name }) => name);
    return { names: [...new Set(names)], gateway: config.body.gateway_url };
  });

  #model(): string {
    return this.#place.value.query['model'] ?? this.#names.value?.names[0] ?? '';
  }

  protected override render() {
    const { value, failure } = this.#names;
    return html`<gw-page
      heading="Playground"
      about="Send live requests. They count against limits and budgets."
    >
      ${may('config:write') ? nothing : forbidden()}
      <gw-error retriable .failure=${failure} @gw-retry=${() => this.#names.reload()}></gw-error>
      ${
        value === undefined || !may('config:write')
          ? nothing
          : value.gateway === null
            ? unknownGateway()
            : html`<div class="sides">
                ${this.#question(value.names, value.gateway)} ${talkOf(this.#chat)}
              </div>`
      }
    </gw-page>`;
  }

  #question(names: readonly string[], gateway: string) {
    const model = this.#model();
    const choices = [...new Set([...(model === '' ? [] : [model]), ...names])];
    const wrong = (name: string, words: string): string => (this.missing === name ? words : '');
    return html`<section class="card ask" aria-label="Request" @gw-input=${this.#onInput}>
      <gw-field
        name="key"
        label="API key"
        type="password"
        hint="Not stored. Used for this page only."
        mono
        required
        .value=${this.key}
        error=${wrong('key', 'Enter an API key')}
      ></gw-field>
      ${this.#keyMaker()}
      ${
        choices.length === 0
          ? html`<p class="notice">
              No models yet. <a href=${linkTo({ screen: 'providers' })}>Go to providers</a>
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
        hint="Press Ctrl+Enter to send"
        error=${wrong('prompt', 'Enter a message')}
        @keydown=${this.#onKey}
      ></gw-field>
      ${this.#parameterFields()}
      <gw-error .failure=${this.failure ?? this.#chat.failure}></gw-error>
      <div class="acts">${this.#acts()}</div>
      ${this.#code(model, gateway)}
    </section>`;
  }

  #parameterFields() {
    return html`<details>
      <summary>Parameters</summary>
      <div class="pair">
        <gw-field
          name="temperature"
          label="Temperature"
          type="number"
          placeholder="0 to 2"
          .value=${this.temperature}
        ></gw-field>
        <gw-field
          name="maxTokens"
          label="Max tokens"
          type="number"
          .value=${this.maxTokens}
        ></gw-field>
      </div>
    </details>`;
  }

  #code(model: string, gateway: string) {
    const prompt = this.prompt === '' ? 'Hello' : this.prompt;
    const messages = messagesOf(this.system, [{ role: 'user', content: prompt }]);
    const request = { gateway, model, messages, ...this.#parameters() };
    return html`<gw-request-code .request=${request}></gw-request-code>`;
  }

  /** Creates a key of the signed-in user for one hour. Like any key it determines what can be called. */
  #keyMaker() {
    if (this.key !== '' || !may('key:create')) return nothing;
    return html`<p>
      <button type="button" @click=${this.#createKey}>Create a key for one hour</button>
    </p>`;
  }

  readonly #createKey = async (): Promise<void> => {
    const now = session.get();
    if (!('you' in now)) return;
    const expiresAt = new Date(Date.now() + keyLifeMs).toISOString();
    try {
      const body = { name: 'playground', principal_id: now.you.id, expires_at: expiresAt };
      const { body: made } = await call('POST', '/admin/keys', { body, reason: 'Playground' });
      this.key = made.key;
      this.failure = null;
      this.missing = '';
    } catch (error) {
      this.failure = asFailure(error);
    }
  };

  #parameters() {
    return { temperature: numberIn(this.temperature), maxTokens: numberIn(this.maxTokens) };
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
    else if (isOwnField(name)) this[name] = value;
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
    const { temperature, maxTokens } = this.#parameters();
    const parameters = { temperature, max_tokens: maxTokens };
    await this.#chat.send({ key: key.trim(), model, system, prompt, ...parameters });
    this.prompt = this.#chat.promptAgain(this.prompt);
  };
}

customElements.define('gw-screen-playground', ScreenPlayground);
