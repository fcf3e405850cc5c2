// The frame of the UI: session, navigation and the current screen. When the screen changes, focus moves to its heading and the document
// title is updated.

import { LitElement, html, nothing } from 'lit';
import { html as staticHtml, unsafeStatic } from 'lit/static-html.js';

import { element, state } from '../elements/element.ts';
import { call } from '../api/http/call.ts';
import { asFailure } from '../api/http/failure.ts';
import type { ApiFailure } from '../api/http/failure.ts';
import { titleOf } from '../lib/text/title.ts';
import { Code } from '../elements/code.ts';
import '../elements/overlay/dialog.ts';
import '../elements/overlay/drawer.ts';
import '../elements/error.ts';
import { filterIn } from '../elements/table/find-filter.ts';
import { failureNotice } from '../elements/loaded.ts';
import '../elements/page.ts';
import type { GwPage } from '../elements/page.ts';
import '../elements/overlay/toasts.ts';
import { Watch } from '../elements/watch.ts';
import type { PageCommand } from '../lib/page/palette.ts';
import type { Meaning } from '../lib/page/shortcut.ts';
import { loadScreen, screenNamed, screensFor } from '../screens.ts';
import type { Screen } from '../extension.ts';
import { decideLeaving, leaving } from '../state/edits.ts';
import { linkTo, navigate, place } from '../state/location.ts';
import { openNames } from '../state/names.ts';
import { may, session, sessionAbsent, sessionOpened } from '../state/session.ts';
import { takeLinkToken } from '../state/sign-in-link.ts';
import { signOn, signedInScreen } from '../state/sign-on.ts';
import { base, buttons } from '../styles/base.ts';
import './as-of-bar.ts';
import { tellSignedIn, waitForSession } from './come-back.ts';
import { doDeed } from './page-commands.ts';
import { frameStyles } from './frame-styles.ts';
import './header.ts';
import type { GwHeader } from './header.ts';
import { listenForKeys } from './keyboard.ts';
import { keysDialog } from './keys.ts';
import './login.ts';
import { mark } from './mark.ts';
import { noRights, noSuchPage } from './no-screen.ts';
import './palette.ts';
import { Served } from './served.ts';
import './sidebar.ts';

type Over = 'palette' | 'keys' | 'menu' | null;

class GwApp extends element({
  over: state<Over>(null),
  failure: state<ApiFailure | null>(null),
  /** The failure of the sign-in link in this address. */
  linkFailure: state<ApiFailure | null>(null),
}) {
  static override styles = [base, buttons, frameStyles];
  readonly #code = new Code(this);
  readonly #served = new Served(this);
  readonly #place = new Watch(this, place);
  readonly #session = new Watch(this, session);
  readonly #leaving = new Watch(this, leaving);
  readonly #names = new Watch(this, openNames);
  #shown = '';
  #stopKeys: (() => void) | null = null;
  #stopWaiting: (() => void) | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#stopKeys = listenForKeys((meaning) => this.#act(meaning));
    this.#stopWaiting = waitForSession();
    addEventListener('hashchange', this.#onHash);
    void this.#begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stopKeys?.();
    this.#stopWaiting?.();
    removeEventListener('hashchange', this.#onHash);
  }

  /** Waits for a sign-in if there is no session. */
  async #begin(): Promise<void> {
    await this.#useLink();
    try {
      const { you, single_sign_on: single } = (await call('GET', '/session')).body;
      this.failure = null;
      signOn.set(single);
      if (you === null) return sessionAbsent();
      sessionOpened(you);
      if (this.#isForSigningIn()) tellSignedIn();
    } catch (error) {
      this.failure = asFailure(error);
    }
  }

  /** A sign-in link may open in a tab that already shows the UI. */
  readonly #onHash = (): void => void this.#begin();

  /** An open session continues if the link is no longer valid. */
  async #useLink(): Promise<void> {
    const token = takeLinkToken();
    if (token === null) return;
    try {
      await call('POST', '/login/link', { body: { token } });
    } catch (error) {
      this.linkFailure = asFailure(error);
    }
  }

  protected override render() {
    const now = this.#session.value;
    if (now.status === 'none') return this.#loginPage();
    if (this.failure !== null && now.status === 'unknown') return this.#failed(this.failure);
    if (now.status === 'unknown') return nothing;
    if (this.#isForSigningIn()) return this.#signedIn();
    return html`
      <nav aria-label="Skip">
        <a class="skip" href="#main" @click=${this.#skip}>Skip to content</a>
      </nav>
      <div class="frame">
        <div class="side">
          <gw-sidebar
            version=${this.#served.version}
            ?isManaged=${this.#served.isManaged}
          ></gw-sidebar>
        </div>
        <gw-header
          role="banner"
          @gw-palette=${() => this.#open('palette')}
          @gw-menu-open=${() => this.#open('menu')}
        ></gw-header>
        <main id="main">${this.#past()} ${this.#screen()}</main>
      </div>
      <gw-palette
        ?open=${this.over === 'palette'}
        ?isManaged=${this.#served.isManaged}
        @gw-close=${this.#close}
        @gw-command=${this.#onDeed}
      ></gw-palette>
      <gw-drawer
        class="menu"
        heading="Screens"
        ?open=${this.over === 'menu'}
        @gw-close=${this.#close}
      >
        <gw-sidebar
          version=${this.#served.version}
          ?isManaged=${this.#served.isManaged}
          @click=${this.#close}
        ></gw-sidebar>
      </gw-drawer>
      ${keysDialog({ isOpen: this.over === 'keys', close: this.#close })}
      <gw-dialog
        heading="Discard unsaved changes?"
        verb="Discard"
        refusal="Keep editing"
        danger
        ?open=${this.#leaving.value !== null}
        @gw-close=${() => decideLeaving({ discard: false })}
        @gw-confirm=${() => decideLeaving({ discard: true })}
      >
        <p>Your edits in this form are not saved.</p>
      </gw-dialog>
      <gw-dialog heading="Your session has ended" kept ?open=${now.status === 'ended'}>
        ${now.status === 'ended' ? html`<gw-login autofocus name=${now.you.name}></gw-login>` : nothing}
      </gw-dialog>
      <gw-toasts></gw-toasts>
    `;
  }

  #isForSigningIn(): boolean {
    return this.#place.value.screen === signedInScreen;
  }

  #signedIn() {
    return html`<main class="login">
      ${mark}
      <h1>You are signed in</h1>
      <p>Close this tab and continue in the other one.</p>
      <a class="button" href=${linkTo({ screen: 'overview' })}>Go to Overview</a>
    </main>`;
  }

  #loginPage() {
    return html`<main class="login">
      ${mark}
      <h1>Sign in to gw</h1>
      <gw-login class="card" .failure=${this.linkFailure}></gw-login>
    </main>`;
  }

  #failed(failure: ApiFailure) {
    return html`<main class="login">
      <h1>gw</h1>
      <gw-error retriable .failure=${failure} @gw-retry=${() => this.#begin()}></gw-error>
    </main>`;
  }

  #past() {
    const { screen, query } = this.#place.value;
    const moment = query['as_of'];
    if (moment === undefined) return nothing;
    const isPresent = screenNamed(screen)?.hasPast !== true;
    return html`<gw-as-of-bar class="past" .moment=${moment} ?present=${isPresent}></gw-as-of-bar>`;
  }

  #screen() {
    const { screen: name } = this.#place.value;
    const screen = screenNamed(name);
    if (screen === undefined) return noSuchPage(name);
    if (!may('usage:read')) return noRights(screen);
    // The name comes from the list of screens, not from the address, so it is a safe tag name.
    const tag = unsafeStatic(`gw-screen-${screen.name}`);
    return html`${this.#unconfigured()}
    ${this.#code.shown({
      name,
      load: () => this.#load(screen),
      draw: () => staticHtml`<${tag} class="screen"></${tag}>`,
      failed: (notice) => html`<gw-page heading=${screen.title}>${notice}</gw-page>`,
    })}`;
  }

  async #load(screen: Screen): Promise<void> {
    // Loads code and data at the same time.
    await Promise.all([
      this.#served.version === '' ? this.#served.reload() : null,
      loadScreen(screen),
    ]);
  }

  #unconfigured() {
    return this.#served.failure === null
      ? nothing
      : html`<div class="unconfigured">${failureNotice(this.#served)}</div>`;
  }

  protected override updated(): void {
    const { screen: name } = this.#place.value;
    const now = this.#session.value;
    const title = screenNamed(name)?.title ?? 'Page not found';
    const names = this.#names.value.map(({ name }) => name).toReversed();
    document.title = titleOf(now.status === 'none' ? ['Sign in'] : [...names, title]);
    if (!('you' in now) || !this.#code.isThere(name) || name === this.#shown) return;
    const isFirst = this.#shown === '';
    this.#shown = name;
    if (!isFirst) void this.#focusHeading();
  }

  async #focusHeading(): Promise<void> {
    const screen = this.renderRoot.querySelector('.screen');
    if (screen instanceof LitElement) await screen.updateComplete;
    const page = screen?.shadowRoot?.querySelector<GwPage>('gw-page');
    await page?.updateComplete;
    page?.focus();
    this.renderRoot.querySelector('main')?.scrollTo({ top: 0 });
  }

  #open(over: Over): void {
    this.over = over;
  }

  readonly #close = (): void => {
    this.over = null;
  };

  readonly #onDeed = ({ detail }: CustomEvent<PageCommand>): void =>
    doDeed(detail, {
      askMoment: () => void this.renderRoot.querySelector<GwHeader>('gw-header')?.askMoment(),
      showKeys: () => this.#open('keys'),
      showNotices: this.#showNotices,
    });

  readonly #showNotices = (): void => {
    void this.renderRoot.querySelector<GwHeader>('gw-header')?.showNotices();
  };

  readonly #skip = (event: Event): void => {
    event.preventDefault();
    void this.#focusHeading();
  };

  #act(meaning: Meaning): void {
    if (!('you' in this.#session.value)) return;
    switch (meaning.kind) {
      case 'palette':
      case 'keys':
        this.#open(meaning.kind);
        return;
      case 'filter':
        this.#filter()?.focus();
        return;
      case 'notices':
        this.#showNotices();
        return;
      case 'screen': {
        const screen = screensFor(may).find(({ key }) => key === meaning.key);
        if (screen !== undefined) navigate({ screen: screen.name });
        return;
      }
      case 'go':
    }
  }

  #filter(): HTMLElement | null {
    const screen = this.renderRoot.querySelector('.screen')?.shadowRoot ?? null;
    return screen === null ? null : filterIn(screen);
  }
}

customElements.define('gw-app', GwApp);
