// A key that was just made: the only time that it is shown. It goes away once it was copied, or the person says that it is kept.

import { LitElement, css, html, nothing } from 'lit';

import '../../elements/copy.ts';
import '../../elements/dialog.ts';
import '../../elements/icon.ts';
import { curlOf, environmentOf } from '../../lib/key-draft.ts';
import { handKey } from '../../state/handed-key.ts';
import { navigate } from '../../state/location.ts';
import { may } from '../../state/session.ts';
import { base, buttons } from '../../styles/base.ts';

export type MadeKey = Readonly<{
  id: number;
  name: string;
  key: string;
  /** Where the gateway answers, and a name that it answers to. */
  base: string;
  model: string;
}>;

/** Tells by `gw-close`. */
export class GwMadeKey extends LitElement {
  static override properties = { made: { attribute: false }, kept: { state: true } };
  static override styles = [
    base,
    buttons,
    css`
      .parts {
        display: grid;
        gap: var(--space-4);
      }

      h3 {
        margin-bottom: var(--space-1);
      }

      .code {
        display: flex;
        align-items: flex-start;
        gap: var(--space-1);
        padding: var(--space-2) var(--space-2) var(--space-2) var(--space-3);
        border: 1px solid var(--line);
        border-radius: var(--radius-m);
        background: var(--sunken);
      }

      .code.key {
        align-items: center;
        border-color: var(--accent);
        font-size: var(--text-l);
      }

      pre {
        flex: 1;
        min-width: 0;
        margin: 0;
        overflow-wrap: anywhere;
        white-space: pre-wrap;
      }

      footer {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        justify-content: space-between;
        gap: var(--space-3);
      }

      .acts {
        display: flex;
        flex-wrap: wrap;
        gap: var(--space-2);
      }

      label {
        display: flex;
        align-items: center;
        gap: var(--space-2);
      }
    `,
  ];
  /** Null is closed. */
  declare made: MadeKey | null;
  declare kept: boolean;

  constructor() {
    super();
    this.made = null;
    this.kept = false;
  }

  protected override render() {
    const { made } = this;
    return html`<gw-dialog
      heading=${made === null ? '' : `Key ${made.name}`}
      wide
      .kept=${!this.kept}
      ?open=${made !== null}
      @gw-close=${this.#close}
    >
      ${made === null ? '' : this.#parts(made)}
    </gw-dialog>`;
  }

  #parts({ key, base, model }: MadeKey) {
    return html`<div class="parts">
      <p>This is the only time that it is shown: gw keeps no copy that could be read.</p>
      <div @gw-copied=${this.#keep}>${this.#code('key', key, 'key')}</div>
      <div>
        <h3>A first request</h3>
        ${this.#code('curl', curlOf({ base, key, model }))}
      </div>
      <div>
        <h3>For an OpenAI client</h3>
        ${this.#code('environment', environmentOf({ base, key }))}
      </div>
      <footer>
        <label
          ><input type="checkbox" .checked=${this.kept} @change=${this.#onTick} />I have kept the
          key</label
        >
        <span class="acts">
          ${
            may('config:write')
              ? html`<button
                  type="button"
                  ?disabled=${!this.kept}
                  @click=${() => this.#tryOut(key)}
                >
                  <gw-icon name="send"></gw-icon>Send a request with it
                </button>`
              : nothing
          }
          <button type="button" class="primary" ?disabled=${!this.kept} @click=${this.#close}>
            Done
          </button>
        </span>
      </footer>
    </div>`;
  }

  #code(label: string, text: string, name = '') {
    return html`<div class="code ${name}">
      <pre>${text}</pre>
      <gw-copy text=${text} label=${label}></gw-copy>
    </div>`;
  }

  readonly #keep = (): void => {
    this.kept = true;
  };

  readonly #onTick = ({ target }: Event): void => {
    this.kept = target instanceof HTMLInputElement && target.checked;
  };

  #tryOut(key: string): void {
    handKey(key);
    this.#close();
    navigate({ screen: 'playground' });
  }

  readonly #close = (): void => {
    this.kept = false;
    this.dispatchEvent(new CustomEvent('gw-close'));
  };
}

customElements.define('gw-made-key', GwMadeKey);

declare global {
  interface HTMLElementTagNameMap {
    'gw-made-key': GwMadeKey;
  }
}
