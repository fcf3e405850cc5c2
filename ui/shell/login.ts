// The sign-in form: a page without a session, or a dialog after the session ends.

import { css, html, nothing } from 'lit';

import { element, state, text } from '../elements/element.ts';
import { call } from '../api/http/call.ts';
import { asFailure } from '../api/http/failure.ts';
import type { ApiFailure } from '../api/http/failure.ts';
import '../elements/error.ts';
import '../elements/icon.ts';
import { Watch } from '../elements/watch.ts';
import { extensions } from '../extension.ts';
import { place } from '../state/location.ts';
import { sessionOpened } from '../state/session.ts';
import { signOn } from '../state/sign-on.ts';
import { base, buttons, controls } from '../styles/base.ts';

class GwLogin extends element({
  /** The user whose session ended; empty for any user. */
  name: text(''),
  busy: state(false),
  failure: state<ApiFailure | null>(null),
  /** The user chose to sign in with a password. */
  isAsked: state(false),
}) {
  static override styles = [
    base,
    buttons,
    controls,
    css`
      :host {
        display: grid;
        gap: var(--space-4);
      }

      .button {
        justify-content: center;
        height: 2.25rem;
      }

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
  readonly #signOn = new Watch(this, signOn);
  readonly #place = new Watch(this, place);

  /** Focuses the first empty field. */
  override focus(): void {
    const field = this.name === '' ? 'name' : 'password';
    this.renderRoot.querySelector<HTMLElement>(`input[name=${field}]`)?.focus();
  }

  protected override firstUpdated(): void {
    this.focus();
  }

  protected override render() {
    const single = this.#signOn.value;
    const hides = single?.hides_password === true && !this.isAsked;
    const ask = html`<button type="button" @click=${this.#ask}>Use a password</button>`;
    return html`${single === null ? nothing : this.#single(single.label)}
    ${hides ? ask : this.#form()}
    ${this.name === '' ? nothing : html`<p class="quiet">Your unsaved work is kept.</p>`}`;
  }

  /** Opens in a new tab if this page holds unsaved work. This page continues after the sign-in. */
  #single(label: string) {
    const place = this.name === '' ? this.#place.value : null;
    return extensions.map(({ signIn }) => signIn?.({ label, place }) ?? nothing);
  }

  #form() {
    return html`<form @submit=${this.#submit}>
      <label>Name<input name="name" autocomplete="username" required .value=${this.name} /></label>
      <label
        >Password<input name="password" type="password" autocomplete="current-password" required
      /></label>
      <gw-error .failure=${this.failure}></gw-error>
      <button class="primary" ?disabled=${this.busy}>
        ${this.busy ? 'Signing in…' : 'Sign in'}
      </button>
    </form>`;
  }

  /** The button that had the focus is removed. */
  readonly #ask = async (): Promise<void> => {
    this.isAsked = true;
    await this.updateComplete;
    this.focus();
  };

  readonly #submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const given = new FormData(event.currentTarget);
    this.busy = true;
    this.failure = null;
    try {
      const answer = await call('POST', '/login', {
        body: {
          name: textIn(given, 'name'),
          password: textIn(given, 'password'),
        },
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
