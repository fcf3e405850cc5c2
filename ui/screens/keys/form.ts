// The form of a new key: whose it is, what it is called, and how long it opens.

import { LitElement, html, nothing } from 'lit';

import type { ApiFailure } from '../../api/failure.ts';
import type { Principal } from '../../api/principals.ts';
import type { Role } from '../../api/roles.ts';
import '../../elements/field.ts';
import type { FieldInput } from '../../elements/field.ts';
import '../../elements/form.ts';
import { Watch } from '../../elements/watch.ts';
import { blankKey } from '../../lib/key-draft.ts';
import type { KeyDraft } from '../../lib/key-draft.ts';
import { effectivePermissions, invokable } from '../../lib/permissions.ts';
import { zone } from '../../state/preferences.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

const expiries = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'date', label: 'At a moment of your choice' },
  { value: 'never', label: 'Never' },
];

const drafted: Readonly<Record<string, keyof KeyDraft>> = {
  name: 'name',
  principal_id: 'principalId',
  expiry: 'expiry',
  expires_at: 'expiresAt',
};

/** Tells by `gw-submit` with the draft, and by `gw-cancel`. */
export class GwKeyForm extends LitElement {
  static override properties = {
    principals: { attribute: false },
    roles: { attribute: false },
    first: { type: String },
    busy: { type: Boolean },
    failure: { attribute: false },
    draft: { state: true },
  };
  static override styles = [base, record];
  declare principals: readonly Principal[];
  declare roles: readonly Role[];
  /** The principal that is chosen at first; empty is none. */
  declare first: string;
  declare busy: boolean;
  declare failure: ApiFailure | null;
  declare draft: KeyDraft;
  readonly #zone = new Watch(this, zone);

  constructor() {
    super();
    this.principals = [];
    this.roles = [];
    this.first = '';
    this.busy = false;
    this.failure = null;
    this.draft = blankKey;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.draft = { ...blankKey, principalId: this.first };
  }

  protected override render() {
    const { draft } = this;
    const zoneName = this.#zone.value === 'utc' ? 'UTC' : 'local time';
    return html`<gw-form
      verb="Create key"
      ?busy=${this.busy}
      .failure=${this.failure}
      @gw-input=${this.#onInput}
      @gw-submit=${this.#submit}
    >
      <gw-field
        name="principal_id"
        label="Principal"
        type="select"
        hint="Who calls with it: roles, limits and budget are the principal's"
        required
        .choices=${[
          { value: '', label: 'Choose one' },
          ...this.principals.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        .value=${draft.principalId}
      ></gw-field>
      ${this.#reach()}
      <gw-field
        name="name"
        label="Name"
        hint="Where it is used, such as billing-nightly"
        required
        .value=${draft.name}
      ></gw-field>
      <gw-field
        name="expiry"
        label="Expires"
        type="select"
        required
        .choices=${expiries}
        .value=${draft.expiry}
      ></gw-field>
      ${
        draft.expiry === 'date'
          ? html`<gw-field
              name="expires_at"
              label="Expires at, ${zoneName}"
              type="datetime-local"
              required
              .value=${draft.expiresAt}
            ></gw-field>`
          : nothing
      }
    </gw-form>`;
  }

  #reach() {
    const principal = this.principals.find(({ id }) => String(id) === this.draft.principalId);
    if (principal === undefined) return nothing;
    const reach = invokable(effectivePermissions(principal.roles, this.roles));
    return html`<p class="notice ${reach === 'no model' ? 'warn' : ''}" role="status">
      ${principal.name} may invoke
      ${reach}${reach === 'no model' ? ': grant it a role before the key is used' : ''}.
    </p>`;
  }

  readonly #onInput = ({ detail }: CustomEvent<FieldInput>): void => {
    const member = drafted[detail.name];
    if (member !== undefined) this.draft = { ...this.draft, [member]: detail.value };
  };

  readonly #submit = (event: Event): void => {
    event.stopPropagation();
    this.dispatchEvent(new CustomEvent('gw-submit', { detail: this.draft }));
  };
}

customElements.define('gw-key-form', GwKeyForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-key-form': GwKeyForm;
  }
}
