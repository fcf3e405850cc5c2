// The form of a principal, for a new one and for a change.

import { LitElement, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import type { ApiFailure } from '../../api/failure.ts';
import type { Principal } from '../../api/principals.ts';
import '../../elements/field.ts';
import type { FieldInput } from '../../elements/field.ts';
import '../../elements/form.ts';
import { blankPrincipal, fromPrincipal } from '../../lib/principal-draft.ts';
import type { PrincipalDraft } from '../../lib/principal-draft.ts';
import { base } from '../../styles/base.ts';

const kinds = [
  { value: 'service_account', label: 'Service account: a program' },
  { value: 'user', label: 'User: a person' },
];

/** Tells by `gw-submit` with the draft, and by `gw-cancel`. */
export class GwPrincipalForm extends LitElement {
  static override properties = {
    principal: { attribute: false },
    busy: { type: Boolean },
    failure: { attribute: false },
    draft: { state: true },
  };
  static override styles = [base];
  /** The one that is changed; null is a new one. */
  declare principal: Principal | null;
  declare busy: boolean;
  declare failure: ApiFailure | null;
  declare draft: PrincipalDraft;
  #filledFrom: number | null = null;

  constructor() {
    super();
    this.principal = null;
    this.busy = false;
    this.failure = null;
    this.draft = blankPrincipal;
  }

  /** A record that is loaded anew does not undo what was typed. */
  protected override willUpdate(changed: PropertyValues<this>): void {
    const id = this.principal?.id ?? null;
    if (!changed.has('principal') || id === this.#filledFrom) return;
    this.#filledFrom = id;
    this.draft = this.principal === null ? blankPrincipal : fromPrincipal(this.principal);
  }

  protected override render() {
    const { draft, principal } = this;
    return html`<gw-form
      verb=${principal === null ? 'Add principal' : 'Review change'}
      ?busy=${this.busy}
      .failure=${this.failure}
      @gw-input=${this.#onInput}
      @gw-submit=${this.#submit}
    >
      <gw-field name="name" label="Name" required .value=${draft.name}></gw-field>
      ${
        principal === null
          ? html`<gw-field
              name="kind"
              label="Kind"
              type="select"
              hint="A user's name and address are kept as personal data: encrypted, and erased with the user"
              required
              .choices=${kinds}
              .value=${draft.kind}
            ></gw-field>`
          : nothing
      }
      <gw-field
        name="email"
        label="E-mail"
        hint=${typeof principal?.email === 'string' ? 'Empty takes it away' : ''}
        .value=${draft.email}
      ></gw-field>
    </gw-form>`;
  }

  readonly #onInput = ({ detail: { name, value } }: CustomEvent<FieldInput>): void => {
    if (name in this.draft) this.draft = { ...this.draft, [name]: value };
  };

  readonly #submit = (event: Event): void => {
    event.stopPropagation();
    this.dispatchEvent(new CustomEvent('gw-submit', { detail: this.draft }));
  };
}

customElements.define('gw-principal-form', GwPrincipalForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-principal-form': GwPrincipalForm;
  }
}
