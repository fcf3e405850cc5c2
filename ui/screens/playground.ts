// Playground: a real chat through the gateway, with a key that is pasted for it, as any client would send it; and what became of it.

import { LitElement, html, nothing } from 'lit';

import { getConfig } from '../api/config.ts';
import { asFailure } from '../api/failure.ts';
import type { ApiFailure } from '../api/failure.ts';
import { listFrontendModels } from '../api/frontend-models.ts';
import { listModels } from '../api/models.ts';
import { askPlayground } from '../api/playground.ts';
import '../elements/empty.ts';
import '../elements/error.ts';
import '../elements/field.ts';
import type { FieldInput } from '../elements/field.ts';
import '../elements/icon.ts';
import '../elements/page.ts';
import { Resource } from '../elements/resource.ts';
import { Watch } from '../elements/watch.ts';
import { createAnswerReader, noAnswer } from '../lib/chat-answer.ts';
import type { ChatAnswer } from '../lib/chat-answer.ts';
import { messagesOf, promptAgain, turnsWith } from '../lib/chat-turns.ts';
import type { Turn } from '../lib/chat-turns.ts';
import { takeHandedKey } from '../state/handed-key.ts';
import { changeQuery, linkTo, place } from '../state/location.ts';
import { may } from '../state/session.ts';
import { base, buttons } from '../styles/base.ts';
import './playground/outcome.ts';
import type { Timing } from './playground/outcome.ts';
import { playgroundStyles } from './playground/styles.ts';

const untimed: Timing = { firstMs: null, wholeMs: null };

class ScreenPlayground extends LitElement {
  static override properties = {
    key: { state: true },
    prompt: { state: true },
    system: { state: true },
    turns: { state: true },
    answer: { state: true },
    timing: { state: true },
    asking: { state: true },
    failure: { state: true },
    missing: { state: true },
  };
  static override styles = [base, buttons, playgroundStyles];
  /** Kept in the page alone. */
  declare key: string;
  declare prompt: string;
  declare system: string;
  /** What was said before; the last answer is `answer`. */
  declare turns: readonly Turn[];
  declare answer: ChatAnswer;
  declare timing: Timing;
  /** Ends the request that is under way; null when none is. */
  declare asking: AbortController | null;
  /** Of the control plane; what the gateway refuses is an answer. */
  declare failure: ApiFailure | null;
  /** The field that is needed. */
  declare missing: string;
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
    this.turns = [];
    this.answer = noAnswer;
    this.timing = untimed;
    this.asking = null;
    this.failure = null;
    this.missing = '';
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.asking?.abort();
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
      ${may('config:write') ? nothing : this.#forbidden()}
      <gw-error retriable .failure=${failure} @gw-retry=${() => this.#names.reload()}></gw-error>
      ${
        value === undefined || !may('config:write')
          ? nothing
          : value.gateway === null
            ? this.#unknownGateway()
            : html`<div class="sides">${this.#question(value.names)} ${this.#talk()}</div>`
      }
    </gw-page>`;
  }

  #forbidden() {
    return html`<gw-empty heading="Chats are sent here by those who hold config:write" icon="send">
      <span slot="about"
        >Ask for a role with it, or send the request with a key and any client of the gateway.</span
      >
    </gw-empty>`;
  }

  #unknownGateway() {
    return html`<gw-empty
      heading="This control plane does not know its gateway"
      icon="send"
      command="gw --role control --gateway-url https://gateway.example"
    >
      <span slot="about"
        >Start it with --gateway-url, or GW_GATEWAY_URL: where clients reach the gateway.</span
      >
    </gw-empty>`;
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
      ${this.failure === null ? nothing : html`<gw-error .failure=${this.failure}></gw-error>`}
      <div class="acts">${this.#acts()}</div>
    </section>`;
  }

  #acts() {
    if (this.asking !== null) {
      return html`<button type="button" @click=${() => this.asking?.abort()}>
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
        this.turns.length === 0
          ? nothing
          : html`<button type="button" class="plain" @click=${this.#forget}>New chat</button>`
      }`;
  }

  #talk() {
    const { answer, asking, turns } = this;
    return html`<section class="card" aria-label="Answer">
      ${
        turns.length === 0
          ? html`<div class="blank">
              <gw-icon name="send"></gw-icon>
              <p>The answer comes here while it is written, with the rule that chose its model.</p>
            </div>`
          : html`${turns.map((turn) => this.#turn(turn))} ${this.#last()}
              <gw-playground-outcome
                .answer=${asking === null ? { ...answer, isWhole: true } : answer}
                .timing=${this.timing}
              ></gw-playground-outcome>`
      }
    </section>`;
  }

  #turn({ role, content }: Turn) {
    return html`<div class="turn ${role}">
      <h3>${role === 'user' ? 'You' : 'Model'}</h3>
      <span class="said">${content}</span>
    </div>`;
  }

  /** What is being answered, or was last. */
  #last() {
    const { text, reasoning, error } = this.answer;
    const waits = this.asking !== null;
    return html`<div class="turn" aria-live="polite" aria-busy=${waits ? 'true' : 'false'}>
        <h3>Model</h3>
        ${reasoning === '' ? nothing : html`<div class="reasoning">${reasoning}</div>`}<span
          class="said ${waits ? 'waits' : ''}"
          >${text}</span
        >
      </div>
      ${error === null ? nothing : html`<gw-error .failure=${asFailure(new Error(error))}></gw-error>`}`;
  }

  readonly #onInput = ({ detail: { name, value } }: CustomEvent<FieldInput>): void => {
    if (name === 'model') changeQuery({ model: value });
    else if (name === 'key' || name === 'prompt' || name === 'system') this[name] = value;
    this.missing = '';
  };

  readonly #onKey = ({ key, ctrlKey, metaKey }: KeyboardEvent): void => {
    if (key === 'Enter' && (ctrlKey || metaKey) && this.asking === null) void this.#send();
  };

  readonly #forget = (): void => {
    this.turns = [];
    this.answer = noAnswer;
    this.timing = untimed;
  };

  readonly #send = async (): Promise<void> => {
    this.failure = null;
    this.missing = this.key.trim() === '' ? 'key' : this.prompt.trim() === '' ? 'prompt' : '';
    if (this.missing !== '') return;
    const { turns, prompt, answer, system } = this;
    this.turns = turnsWith({ turns, answer: answer.text, prompt });
    this.prompt = '';
    const messages = messagesOf(system, this.turns);
    await this.#ask({ key: this.key.trim(), model: this.#model(), messages: [...messages] });
  };

  async #ask(chat: Parameters<typeof askPlayground>[0]): Promise<void> {
    const asking = new AbortController();
    const startedAt = performance.now();
    const since = (): number => Math.round(performance.now() - startedAt);
    const read = createAnswerReader();
    this.asking = asking;
    this.answer = noAnswer;
    this.timing = untimed;
    try {
      for await (const frame of askPlayground(chat, asking.signal)) {
        this.answer = read(frame);
        if (this.timing.firstMs === null && this.answer.text !== '') {
          this.timing = { ...this.timing, firstMs: since() };
        }
      }
      this.timing = { ...this.timing, wholeMs: since() };
    } catch (error) {
      if (!asking.signal.aborted) this.failure = asFailure(error);
    }
    const { turns, prompt, answer } = this;
    this.prompt = promptAgain({ turns, answer: answer.text, prompt });
    this.asking = null;
  }
}

customElements.define('gw-screen-playground', ScreenPlayground);
