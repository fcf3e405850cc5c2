// Shows a new API key or admin token once. The dialog can be closed after the secret was copied or the user confirms that it is saved.

import { css, html, nothing } from 'lit';

import { element, given, state, text } from '../../elements/element.ts';
import '../../elements/copy.ts';
import '../../elements/overlay/dialog.ts';
import '../../elements/icon.ts';
import { extensions } from '../../extension.ts';
import { capital } from '../../lib/text/format.ts';
import { may } from '../../state/session.ts';
import { base, buttons } from '../../styles/base.ts';

export type MadeBearer = Readonly<{
  id: number;
  name: string;
  secret: string;
  uses: readonly Readonly<{ heading: string; label: string; text: string }>[];
  /** Shown if there are no sample commands. */
  note?: unknown;
}>;

/** Sends `gw-close`. */
class GwMadeBearer extends element({
  /** Null means closed. */
  made: given<MadeBearer | null>(null),
  /** "API key" or "admin token". */
  noun: text('API key'),
  kept: state(false),
}) {
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

  protected override render() {
    const { made } = this;
    return html`<gw-dialog
      heading=${made === null ? '' : `${capital(this.noun)} ${made.name}`}
      wide
      .kept=${!this.kept}
      ?open=${made !== null}
      @gw-close=${this.#close}
    >
      ${made === null ? '' : this.#parts(made)}
    </gw-dialog>`;
  }

  #parts({ secret, uses, note = nothing }: MadeBearer) {
    return html`<div class="parts">
      <p>Copy this ${this.noun} now. You won't see it again.</p>
      <div @gw-copied=${this.#keep}>${this.#code(this.noun, secret, 'key')}</div>
      ${note}
      ${uses.map(
        ({ heading, label, text }) =>
          html`<div>
            <h3>${heading}</h3>
            ${this.#code(label, text)}
          </div>`,
      )}
      <footer>
        <label
          ><input type="checkbox" .checked=${this.kept} @change=${this.#onTick} />I've saved this
          ${this.noun}</label
        >
        <span class="acts">
          ${this.noun === 'API key' ? this.#uses(secret) : nothing}
          <button type="button" class="primary" ?disabled=${!this.kept} @click=${this.#close}>
            Done
          </button>
        </span>
      </footer>
    </div>`;
  }

  #uses(key: string) {
    const offered = extensions.flatMap(({ withNewKey }) => withNewKey ?? []);
    return offered
      .filter(({ permission }) => may(permission))
      .map(
        ({ label, icon, use }) =>
          html`<button
            type="button"
            ?disabled=${!this.kept}
            @click=${() => {
              this.#close();
              use(key);
            }}
          >
            <gw-icon name=${icon}></gw-icon>${label}
          </button>`,
      );
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

  readonly #close = (): void => {
    this.kept = false;
    this.dispatchEvent(new CustomEvent('gw-close'));
  };
}

customElements.define('gw-made-bearer', GwMadeBearer);
