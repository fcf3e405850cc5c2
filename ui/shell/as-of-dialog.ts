// Chooses a past version: one of the latest, or any version or time.

import { css, html } from 'lit';
import type { PropertyValues } from 'lit';

import { element, flag, state } from '../elements/element.ts';
import { listSnapshots } from '../api/snapshots.ts';
import type { SnapshotVersion } from '../api/snapshots.ts';
import '../elements/overlay/dialog.ts';
import '../elements/form/field.ts';
import type { FieldInput } from '../elements/form/field.ts';
import '../elements/time.ts';
import { readMoment } from '../lib/history/history.ts';
import { asOf } from '../state/as-of.ts';
import { changeQuery } from '../state/location.ts';
import { base, buttons } from '../styles/base.ts';

const versionsShown = 6;

class GwAsOfDialog extends element({
  open: flag(),
  typed: state(''),
  wrong: state(''),
  /** Newest first. */
  versions: state<readonly SnapshotVersion[]>([]),
}) {
  static override styles = [
    base,
    buttons,
    css`
      h3 {
        margin: var(--space-4) 0 var(--space-1);
        color: var(--text-2);
        font-size: var(--text-s);
        font-weight: 500;
      }

      li button {
        display: grid;
        grid-template-columns: 4.5rem minmax(0, 1fr) auto;
        justify-content: stretch;
        gap: var(--space-2);
        width: 100%;
        text-align: left;
      }

      .made {
        overflow: hidden;
        color: var(--text-2);
        text-overflow: ellipsis;
        font-weight: 400;
      }
    `,
  ];

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('open') || !this.open) return;
    this.typed = asOf() ?? '';
    this.wrong = '';
    void this.#load();
  }

  /** A version can be typed even if the list fails to load. */
  async #load(): Promise<void> {
    const answer = await listSnapshots(versionsShown).catch(() => null);
    this.versions = answer?.body ?? [];
  }

  protected override render() {
    return html`<gw-dialog
      heading="View a past version"
      verb="Show"
      ?open=${this.open}
      @gw-close=${this.#close}
      @gw-confirm=${this.#show}
    >
      <gw-field
        name="as_of"
        label="Snapshot version or time"
        hint="For example 1482 or 2026-11-21 14:05 (UTC). Leave empty for the current version. Past versions are read-only."
        error=${this.wrong}
        .value=${this.typed}
        @gw-input=${this.#onInput}
        @gw-enter=${this.#show}
      ></gw-field>
      <h3 ?hidden=${this.versions.length === 0}>Recent versions</h3>
      <ul>
        ${this.versions.map((one) => this.#version(one))}
      </ul>
    </gw-dialog>`;
  }

  #version({ version, created_at: at, made_by: made }: SnapshotVersion) {
    const who = made?.actor_name ?? made?.actor_kind ?? '';
    return html`<li>
      <button type="button" class="plain" @click=${() => this.#go(String(version))}>
        <strong>${version}</strong
        ><span class="made">${made === null ? '' : made.summary}, ${who}</span
        ><gw-time at=${at}></gw-time>
      </button>
    </li>`;
  }

  readonly #close = (): void => {
    this.dispatchEvent(new CustomEvent('gw-close'));
  };

  readonly #onInput = ({ detail }: CustomEvent<FieldInput>): void => {
    this.typed = detail.value;
    this.wrong = '';
  };

  readonly #show = (): void => {
    const moment = this.typed.trim() === '' ? '' : readMoment(this.typed);
    if (moment === null) this.wrong = 'must be a version or a time such as 2026-11-21 14:05';
    else this.#go(moment);
  };

  #go(moment: string): void {
    this.#close();
    changeQuery({ as_of: moment });
  }
}

customElements.define('gw-as-of-dialog', GwAsOfDialog);
