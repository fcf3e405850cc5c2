// Draws one change request: its facts, its effect on the current configuration, its calls, its
// history, and the next steps.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, count, state } from '../../../ui/elements/element.ts';
import { getChangeRequest } from './api.ts';
import type { WholeRequest } from './api.ts';
import '../../../ui/elements/diff.ts';
import type { ApiFailure } from '../../../ui/api/http/failure.ts';
import '../../../ui/elements/form/field.ts';
import type { FieldInput } from '../../../ui/elements/form/field.ts';
import '../../../ui/elements/icon.ts';
import { loaded, failureNotice } from '../../../ui/elements/loaded.ts';
import { Resource } from '../../../ui/elements/resource.ts';
import '../../../ui/elements/time.ts';
import { Watch } from '../../../ui/elements/watch.ts';
import { placeOfTarget } from '../../../ui/lib/history/audit.ts';
import { changesBetween } from '../../../ui/lib/saves/change.ts';
import { isEditable, stepsFor } from './steps.ts';
import type { Step } from './steps.ts';
import { formatZone } from '../../../ui/lib/text/format.ts';
import { readWallTime } from '../../../ui/lib/text/wall-time.ts';
import '../../../ui/parts/differences.ts';
import '../../../ui/parts/save.ts';
import type { Save } from '../../../ui/lib/saves/save.ts';
import { screenNamed } from '../../../ui/screens.ts';
import { isReadOnly } from '../../../ui/state/as-of.ts';
import { linkTo } from '../../../ui/state/location.ts';
import { zone } from '../../../ui/state/preferences.ts';
import { may, session } from '../../../ui/state/session.ts';
import { previewOf } from '../../../ui/extension.ts';
import { base, buttons } from '../../../ui/styles/base.ts';
import { record } from '../../../ui/styles/record.ts';
import './calls-form.ts';
import type { CallsEdit } from './calls-form.ts';
import { factsOf, nameOf, problemOf } from './request-facts.ts';
import { editSave, savesOf, stepLabels } from './request-saves.ts';

type Loaded = Readonly<{ request: WholeRequest; version: number | undefined }>;

/** Dispatches `gw-done` after a step. */
class GwChangeRequest extends element({
  requestId: count<number>(),
  save: state<Save | null>(null),
  failure: state<ApiFailure | null>(null),
  /** The draft is open in its form. */
  editing: state(false),
  /** In the shown zone. */
  at: state(''),
}) {
  static override styles = [
    base,
    buttons,
    record,
    css`
      .steps {
        display: flex;
        flex-wrap: wrap;
        align-items: end;
        gap: var(--space-2);
        margin-bottom: var(--space-4);
      }

      .call {
        margin-bottom: var(--space-3);
      }

      .call p {
        margin-bottom: var(--space-1);
        overflow-wrap: anywhere;
      }

      .bad {
        background: var(--bad-soft);
      }
    `,
  ];
  readonly #zone = new Watch(this, zone);
  readonly #loaded = new Resource(this, (signal) => this.#load(signal), { pollMs: 15_000 });

  async #load(signal: AbortSignal): Promise<Loaded> {
    const { body, etag } = await getChangeRequest(this.requestId, signal);
    const version = Number(etag?.replaceAll('"', '') ?? NaN);
    return { request: body, version: Number.isNaN(version) ? undefined : version };
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('requestId') === undefined) return;
    this.editing = false;
    void this.#loaded.reload();
  }

  protected override render() {
    const { value } = this.#loaded;
    return html`${failureNotice(this.#loaded)} ${loaded(this.#loaded, (found) => this.#all(found))}
      <gw-save
        .save=${this.save}
        @gw-close=${this.#close}
        @gw-saved=${this.#onSaved}
        @gw-refused=${this.#onRefused}
        >${value === undefined || !this.editing ? nothing : this.#falling(value.request)}</gw-save
      >`;
  }

  #all(loaded: Loaded) {
    const { request } = loaded;
    if (this.editing) {
      return html`<gw-calls-form
        .request=${request}
        .failure=${this.failure}
        @gw-review=${({ detail }: CustomEvent<CallsEdit>) => this.#review(loaded, detail)}
        @gw-cancel=${this.#leave}
      ></gw-calls-form>`;
    }
    return html`${this.#steps(loaded)} ${factsOf(request)} ${problemOf(request)}
    ${request.change === null ? nothing : this.#change(request)} ${this.#calls(request)}
    ${this.#history(request)}`;
  }

  #steps({ request, version }: Loaded) {
    const now = session.get();
    const me = 'you' in now ? now.you.id : 0;
    if (!may('config:write') || isReadOnly()) return nothing;
    const isMine = request.bodies !== null && isEditable(request, me);
    const steps = stepsFor(request, {
      me,
      isPossible: request.change !== null,
      isCovered: request.covered_by.length > 0,
    });
    if (steps.length === 0 && !isMine) return nothing;
    const saves = savesOf(request, version);
    const ask = (step: Step) => (): void => {
      this.save = saves[step](this.#moment() ?? '');
    };
    return html`<div class="steps">
      ${steps.map((step, index) =>
        step === 'schedule'
          ? this.#schedule(ask(step))
          : html`<button
              type="button"
              class=${index === 0 && step !== 'withdraw' && step !== 'refuse' ? 'primary' : ''}
              @click=${ask(step)}
            >
              ${stepLabels[step]}
            </button>`,
      )}
      ${
        isMine
          ? html`<button type="button" @click=${this.#edit}>
              <gw-icon name="pencil"></gw-icon>Edit calls
            </button>`
          : nothing
      }
    </div>`;
  }

  /** RFC 3339; null while the typed text is not a time. */
  #moment(): string | null {
    const read = readWallTime(this.at, this.#zone.value);
    return 'at' in read ? new Date(read.at).toISOString() : null;
  }

  #schedule(ask: () => void) {
    return html`<gw-field
        name="apply_at"
        label="Apply at (${formatZone(new Date(), this.#zone.value)})"
        type="datetime-local"
        unmarked
        .value=${this.at}
        @gw-input=${this.#onAt}
      ></gw-field
      ><button type="button" ?disabled=${this.#moment() === null} @click=${ask}>
        ${stepLabels.schedule}
      </button>`;
  }

  #change(request: WholeRequest) {
    const { change, bodies } = request;
    const isOpen = bodies !== null && bodies.every(({ secrets }) => secrets.length === 0);
    const calls = (bodies ?? []).map(({ method, path, body }) => ({ method, path, body }));
    return html`<div class="section"><h3>Effect</h3></div>
      <gw-differences
        .differences=${change?.diff ?? []}
        .total=${change?.difference_count ?? 0}
      ></gw-differences>
      ${
        // Calls with secrets cannot be previewed, because the server does not return the secrets.
        isOpen && may('config:write') ? previewOf({ proposal: { calls } }) : nothing
      }`;
  }

  #calls({ calls, bodies }: WholeRequest) {
    if (bodies === null && calls.length === 0) return nothing;
    return html`<div class="section"><h3>Calls</h3></div>
      ${
        bodies === null
          ? calls.map(({ method, path }) => html`<p class="call">${this.#call(method, path)}</p>`)
          : bodies.map(
              ({ method, path, body, secrets }) =>
                html`<div class="call">
                  <p>
                    ${this.#call(method, path)}${
                      secrets.length === 0
                        ? ''
                        : html` <span class="quiet">with secret ${secrets.join(', ')}</span>`
                    }
                  </p>
                  ${
                    body === null
                      ? nothing
                      : html`<gw-diff fresh .changes=${changesBetween({}, Object(body))}></gw-diff>`
                  }
                </div>`,
            )
      }`;
  }

  #call(method: string, path: string) {
    const place = placeOfTarget(path);
    const text = html`<code>${method} ${path}</code>`;
    return place === null || screenNamed(place.screen) === undefined
      ? text
      : html`<a href=${linkTo(place)}>${text}</a>`;
  }

  #history({ history }: WholeRequest) {
    return html`<div class="section"><h3>History</h3></div>
      <ol class="rows">
        ${history.map(
          ({ id, at, summary, actor_name: name, actor_kind: kind, reason }) =>
            html`<li>
              <span
                ><a href=${linkTo({ screen: 'history', rest: [id] })}>${summary}</a>,
                ${name ?? kind}${reason === null ? '' : `: ${reason}`}</span
              ><gw-time class="quiet end" at=${at}></gw-time>
            </li>`,
        )}
      </ol>`;
  }

  #falling({ approvals, apply_at }: WholeRequest) {
    if (approvals.length === 0) return html`<p>This change request has no approvals yet.</p>`;
    const names = approvals.map(({ by }) => nameOf(by)).join(', ');
    return html`<p class="notice warn">
      This edit removes the approval by
      ${names}${apply_at === null ? '' : ' and the scheduled time'}. The new draft needs approval
      again.
    </p>`;
  }

  #review({ request, version }: Loaded, edit: CallsEdit): void {
    this.failure = null;
    this.save = editSave(request, version, edit);
  }

  readonly #edit = (): void => {
    this.failure = null;
    this.editing = true;
  };

  readonly #leave = (): void => {
    this.editing = false;
  };

  readonly #onRefused = ({ detail }: CustomEvent<ApiFailure>): void => {
    if (!this.editing) return;
    this.failure = detail;
    this.save = null;
  };

  readonly #onAt = ({ detail }: CustomEvent<FieldInput>): void => {
    this.at = detail.value;
  };

  readonly #close = (): void => {
    this.save = null;
  };

  readonly #onSaved = (): void => {
    this.save = null;
    this.editing = false;
    void this.#loaded.reload();
    this.dispatchEvent(new CustomEvent('gw-done'));
  };
}

customElements.define('gw-change-request', GwChangeRequest);
