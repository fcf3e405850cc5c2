// Shows a new key, once. The dialog can be closed after the key was copied or the user confirms that it is saved.

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
  /** The gateway's address, null where it is not known, and a model that it serves. */
  base: string | null;
  model: string;
}>;

const unknownAddress = html`<p class="quiet">
  The address of the gateway is not known here. Start the control plane with
  <code>--gateway-url</code> to see a command that is ready to run.
</p>`;

/** Sends `gw-close`. */
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
      <p>Copy this key now. You won't see it again.</p>
      <div @gw-copied=${this.#keep}>${this.#code('key', key, 'key')}</div>
      ${base === null ? unknownAddress : this.#firstUse({ base, key, model })}
      <footer>
        <label
          ><input type="checkbox" .checked=${this.kept} @change=${this.#onTick} />I've saved this
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

  #firstUse(use: Readonly<{ base: string; key: string; model: string }>) {
    return html`<div>
        <h3>First request</h3>
        ${this.#code('curl', curlOf(use))}
      </div>
      <div>
        <h3>OpenAI client</h3>
        ${this.#code('environment', environmentOf(use))}
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
