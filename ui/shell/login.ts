// The login: the whole page when nobody is in, and over the page when a session ends in the middle of something.

import { LitElement, css, html, nothing } from 'lit';

import { asFailure } from '../api/failure.ts';
import type { ApiFailure } from '../api/failure.ts';
import { login } from '../api/session.ts';
import '../elements/error.ts';
import '../elements/icon.ts';
import { sessionOpened } from '../state/session.ts';
import { base, buttons, controls } from '../styles/base.ts';

export class GwLogin extends LitElement {
  static override properties = {
    name: { type: String },
    busy: { state: true },
    failure: { state: true },
  };
  static override styles = [
    base,
    buttons,
    controls,
    css`
      form {
        display: grid;
        gap: var(--space-4);
      }

      label {
        display: grid;
        gap: 0.1875rem;
        font-weight: 500;
      }

      input {
        height: 2.25rem;
      }

      button {
        height: 2.25rem;
      }
    `,
  ];
  /** Who has to come back; empty is anybody. */
  declare name: string;
  declare busy: boolean;
  declare failure: ApiFailure | null;

  constructor() {
    super();
    this.name = '';
    this.busy = false;
    this.failure = null;
  }

  /** At what is still to be typed. */
  override focus(): void {
    const field = this.name === '' ? 'name' : 'password';
    this.renderRoot.querySelector<HTMLElement>(`input[name=${field}]`)?.focus();
  }

  protected override firstUpdated(): void {
    this.focus();
  }

  protected override render() {
    return html`<form @submit=${this.#submit}>
      <label>Name<input name="name" autocomplete="username" required .value=${this.name} /></label>
      <label
        >Password<input name="password" type="password" autocomplete="current-password" required
      /></label>
      <gw-error .failure=${this.failure}></gw-error>
      <button class="primary" ?disabled=${this.busy}>
        ${this.busy ? 'Logging in …' : 'Log in'}
      </button>
      ${this.name === '' ? nothing : html`<p class="quiet">What you were doing is kept.</p>`}
    </form>`;
  }

  readonly #submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const given = new FormData(event.currentTarget);
    this.busy = true;
    this.failure = null;
    try {
      const answer = await login({
        name: textIn(given, 'name'),
        password: textIn(given, 'password'),
      });
      sessionOpened(answer.body);
    } catch (error) {
      this.failure = asFailure(error);
    } finally {
      this.busy = false;
    }
  };
}

function textIn(given: FormData, name: string): string {
  const value = given.get(name);
  return typeof value === 'string' ? value : '';
}

customElements.define('gw-login', GwLogin);

declare global {
  interface HTMLElementTagNameMap {
    'gw-login': GwLogin;
  }
}
