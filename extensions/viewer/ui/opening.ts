// The start page: explains the viewer and takes the files, which never leave the browser.

import { css, html, nothing } from 'lit';

import { element, given, state } from '../../../ui/elements/element.ts';
import '../../../ui/elements/error.ts';
import '../../../ui/elements/form/field.ts';
import type { FieldInput } from '../../../ui/elements/form/field.ts';
import '../../../ui/elements/icon.ts';
import { asFailure, wrongField } from '../../../ui/api/http/failure.ts';
import type { ApiFailure } from '../../../ui/api/http/failure.ts';
import { base, buttons } from '../../../ui/styles/base.ts';
import { chosenFiles, droppedFiles, notesIn } from './files.ts';
import { openFiles } from './reading.ts';

const keyPattern = /^[\da-f]{64}$/;

class GwViewerOpening extends element({
  /** The failure of the last attempt. */
  failure: given<ApiFailure | null>(null),
  isOver: state(false),
  /** The typed text. */
  key: state(''),
  wrong: state<ApiFailure | null>(null),
  kept: state<Readonly<{ name: string; notes: readonly string[] }> | null>(null),
}) {
  static override styles = [
    base,
    buttons,
    css`
      .drop {
        display: grid;
        justify-items: center;
        gap: var(--space-3);
        padding: var(--space-8) var(--space-4);
        border: 1px dashed var(--line-strong);
        border-radius: var(--radius-l);
        background: var(--surface);
        text-align: center;
      }

      .drop.over {
        border-color: var(--accent);
        background: var(--hover);
      }

      .drop > gw-icon {
        color: var(--text-3);
        font-size: 1.75rem;
      }

      .ways {
        display: flex;
        flex-wrap: wrap;
        justify-content: center;
        gap: var(--space-2);
      }

      details {
        margin-top: var(--space-5);
      }

      summary {
        width: fit-content;
        color: var(--text-2);
        cursor: pointer;
      }

      .trust {
        display: grid;
        gap: var(--space-3);
        margin-top: var(--space-3);
      }

      gw-error {
        margin-bottom: var(--space-4);
      }

      .about {
        margin-top: var(--space-5);
        color: var(--text-2);
      }

      input[type='file'] {
        display: none;
      }
    `,
  ];

  protected override render() {
    return html`<gw-error .failure=${this.failure}></gw-error>
      <div
        class="drop ${this.isOver ? 'over' : ''}"
        @dragover=${this.#onOver}
        @dragleave=${this.#onLeave}
        @drop=${this.#onDrop}
      >
        <gw-icon name="file-text"></gw-icon>
        <h2>Drop an export or an evidence pack here</h2>
        <p class="quiet">
          A file of <code>gw log export</code> or the files of <code>gw evidence</code>. They stay
          in this browser.
        </p>
        <div class="ways">
          <button type="button" class="primary" @click=${this.#choose('export')}>
            Open export
          </button>
          <button type="button" @click=${this.#choose('pack')}>Open evidence pack</button>
        </div>
        <input type="file" id="export" aria-label="Export" @change=${this.#onChosen} />
        <input
          type="file"
          id="pack"
          aria-label="Directory of an evidence pack"
          webkitdirectory
          multiple
          @change=${this.#onChosen}
        />
      </div>
      ${this.#trust()}
      <p class="about">
        This page recomputes every hash and signature in the browser, like
        <code>deploy/verify.mjs</code>. It needs no server.
      </p>`;
  }

  #trust() {
    return html`<details>
      <summary>Trusted key and saved checkpoints</summary>
      <div class="trust" @gw-input=${this.#onKey}>
        <gw-field
          name="key"
          label="Audit key"
          mono
          hint="64 hex digits. Must have signed part of the log. Leave empty to trust the keys in the log"
          error=${this.wrong?.message ?? ''}
          .value=${this.key}
        ></gw-field>
        <div class="kept">
          <button type="button" @click=${this.#choose('kept')}>Add saved checkpoints…</button>
          ${
            this.kept === null
              ? nothing
              : html`<span class="quiet"
                  >${this.kept.notes.length} in ${this.kept.name}, which the log must contain</span
                >`
          }
          <input type="file" id="kept" aria-label="Saved checkpoints" @change=${this.#onKept} />
        </div>
      </div>
    </details>`;
  }

  readonly #choose = (id: string) => (): void => {
    this.renderRoot.querySelector<HTMLInputElement>(`#${id}`)?.click();
  };

  readonly #onOver = (event: DragEvent): void => {
    event.preventDefault();
    this.isOver = true;
  };

  readonly #onLeave = (): void => {
    this.isOver = false;
  };

  readonly #onDrop = async (event: DragEvent): Promise<void> => {
    event.preventDefault();
    this.isOver = false;
    try {
      if (event.dataTransfer !== null) this.#open(await droppedFiles(event.dataTransfer));
    } catch (error) {
      this.failure = asFailure(error);
    }
  };

  readonly #onChosen = ({ target }: Event): void => {
    if (target instanceof HTMLInputElement) this.#open(chosenFiles(target));
  };

  readonly #onKept = async ({ target }: Event): Promise<void> => {
    const [file] = target instanceof HTMLInputElement ? chosenFiles(target) : [];
    if (file === undefined) return;
    try {
      this.kept = { name: file.name, notes: notesIn(await file.text()) };
    } catch (error) {
      this.failure = asFailure(error);
    }
  };

  readonly #onKey = ({ detail }: CustomEvent<FieldInput>): void => {
    this.key = detail.value;
    this.wrong = null;
  };

  #open(files: readonly File[]): void {
    if (files.length === 0) return;
    const key = this.key.trim().toLowerCase();
    if (key !== '' && !keyPattern.test(key)) {
      this.wrong = wrongField('key', 'must be 64 hex digits');
      return;
    }
    openFiles(files, { key: key === '' ? null : key, anchors: this.kept?.notes ?? [] });
  }
}

customElements.define('gw-viewer-opening', GwViewerOpening);
