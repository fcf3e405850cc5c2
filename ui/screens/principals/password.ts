// The form of a password. It is typed twice, and kept nowhere in the page.

import { LitElement, html } from 'lit';

import { wrongField } from '../../api/failure.ts';
import type { ApiFailure } from '../../api/failure.ts';
import '../../elements/field.ts';
import type { FieldInput } from '../../elements/field.ts';
import '../../elements/form.ts';
import { base } from '../../styles/base.ts';
import { record } from '../../styles/record.ts';

/** Tells by `gw-submit` with the password, and by `gw-cancel`. */
export class GwPasswordForm extends LitElement {
  static override properties = {
    kind: { attribute: false },
    failure: { attribute: false },
    differs: { state: true },
  };
  static override styles = [base, record];
  /** Of the principal. */
  declare kind: string;
  declare failure: ApiFailure | null;
  declare differs: ApiFailure | null;
  readonly #typed = new Map<string, string>();

  constructor() {
    super();
    this.kind = 'user';
    this.failure = null;
    this.differs = null;
  }

  protected override render() {
    return html`<p class="notice ${this.kind === 'user' ? '' : 'warn'}">
        ${
          this.kind === 'user'
            ? 'Its sessions end with the old password.'
            : 'This is a service account. With a password it becomes a user, a person who can log in here; its keys stay.'
        }
      </p>
      <gw-form
        verb="Review change"
        .failure=${this.differs ?? this.failure}
        @gw-input=${this.#onInput}
        @gw-submit=${this.#submit}
      >
        <gw-field name="password" label="New password" type="password" required></gw-field>
        <gw-field name="again" label="Once more" type="password" required></gw-field>
      </gw-form>`;
  }

  readonly #onInput = ({ detail: { name, value } }: CustomEvent<FieldInput>): void => {
    this.#typed.set(name, value);
  };

  readonly #submit = (event: Event): void => {
    event.stopPropagation();
    const password = this.#typed.get('password') ?? '';
    this.differs =
      password === this.#typed.get('again')
        ? null
        : wrongField('again', 'differs from the one above');
    if (this.differs !== null) return;
    this.dispatchEvent(new CustomEvent('gw-submit', { detail: password }));
  };
}

customElements.define('gw-password-form', GwPasswordForm);

declare global {
  interface HTMLElementTagNameMap {
    'gw-password-form': GwPasswordForm;
  }
}
