// Base class of dialogs and drawers. Only the owner closes them, on `gw-close`. Then the focus
// returns to its earlier element, or to the heading below.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, flag, reflected, text } from '../element.ts';
import '../icon.ts';
import { left, opened, refocus } from './refocus.ts';

export class Overlay extends element({
  open: reflected(flag()),
  heading: text(''),
  /** Neither Escape nor the corner button closes it. */
  kept: flag(),
}) {
  /** Fields outside of forms do not count, because a record is read first. */
  protected readonly asks: string = 'gw-form gw-field';
  #opener: HTMLElement | null = null;

  constructor() {
    super();
    this.addEventListener('focusout', this.#onFocusOut);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('open')) return;
    left(this);
    if (!this.open) return;
    this.#opener = focused(document);
    opened(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    left(this);
  }

  /** Focuses the heading, which is not in the tab order. */
  override focus(): void {
    const name = this.renderRoot.querySelector<HTMLElement>('.head h2');
    if (name === null) return;
    name.tabIndex = -1;
    name.addEventListener('blur', () => name.removeAttribute('tabindex'), { once: true });
    name.focus();
  }

  /** Replaces the header of Web Awesome, whose close button needs an icon element. */
  protected heads(actions: unknown = nothing) {
    // A frame after opening, Web Awesome focuses [autofocus]. By then the user may be typing.
    return html`<header class="head" autofocus .focus=${() => {}}>
      <h2 title=${this.heading}>${this.heading}</h2>
      ${actions}
      ${
        this.kept
          ? nothing
          : html`<button type="button" class="plain icon" aria-label="Close" @click=${this.close}>
              <gw-icon name="x"></gw-icon>
            </button>`
      }
    </header>`;
  }

  protected readonly close = (): void => {
    this.dispatchEvent(new CustomEvent('gw-close'));
  };

  /** Waits until the fields of the form are rendered. */
  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has('open') || !this.open) return;
    requestAnimationFrame(() => requestAnimationFrame(() => this.#focusFirst()));
  }

  /** Does nothing if the user is in an input already, which is one of this modal element. */
  #focusFirst(): void {
    const isTyping = focused(document)?.matches('input, select, textarea');
    if (this.open && isTyping !== true) fieldsIn(this, this.asks)[0]?.focus();
  }

  /** The focused element was removed, for example a saved form. */
  readonly #onFocusOut = (event: FocusEvent): void => {
    const [target] = event.composedPath();
    setTimeout(() => {
      const isGone = target instanceof HTMLElement && !target.isConnected;
      if (this.open && isGone && focused(document) === null) this.focus();
    });
  };

  /** The inner element asks to close; only `open` closes it. */
  protected readonly onHide = (event: Event): void => {
    if (event.target !== event.currentTarget || !this.open) return;
    event.preventDefault();
    if (!this.kept) this.close();
  };

  protected readonly onHidden = (event: Event): void => {
    if (event.target !== event.currentTarget) return;
    const opener = this.#opener;
    setTimeout(() => {
      opener?.focus();
      if (focused(document) === null || this.matches(':focus-within')) refocus();
    });
  };
}

export const headStyles = css`
  .head {
    display: flex;
    align-items: center;
    gap: var(--space-2);
    min-height: var(--control);
    margin-bottom: var(--space-3);
  }

  .head h2 {
    flex: 1;
    display: -webkit-box;
    min-width: 0;
    overflow: hidden;
    overflow-wrap: anywhere;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 4;
  }

  /* Below the name, which needs all of the line. */
  @media (max-width: 480px) {
    .head {
      flex-wrap: wrap;
    }

    .head h2 {
      flex-basis: calc(100% - 3rem);
    }

    .head ::slotted([slot='actions']) {
      order: 1;
    }
  }
`;

/** Includes shadow trees. */
function fieldsIn(root: ParentNode, selector: string): readonly HTMLElement[] {
  const own = root.querySelectorAll<HTMLElement>(selector);
  if (own.length > 0) return [...own];
  return [...root.children].flatMap(({ shadowRoot }) =>
    shadowRoot === null ? [] : fieldsIn(shadowRoot, selector),
  );
}

/** In nested shadow trees. */
function focused(root: Document | ShadowRoot): HTMLElement | null {
  const active = root.activeElement;
  if (!(active instanceof HTMLElement) || active === document.body) return null;
  return active.shadowRoot === null ? active : (focused(active.shadowRoot) ?? active);
}
