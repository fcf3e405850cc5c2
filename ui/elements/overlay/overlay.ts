// What dialogs and drawers share: they are closed by their owner alone, who is told by `gw-close`, and focus goes back to where it
// was, also into an element's own tree, or to the name of what lies below when that is gone.

import { css, html, nothing } from 'lit';
import type { PropertyValues } from 'lit';

import { element, flag, reflected, text } from '../element.ts';
import '../icon.ts';
import { left, opened, refocus } from './refocus.ts';

export class Overlay extends element({
  open: reflected(flag()),
  heading: text(''),
  /** Not closed by Escape or the corner's button. */
  kept: flag(),
}) {
  /** What it asks to be filled in: those of forms, since a record is read first, whatever it has of fields. */
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

  /** Its name, which is no place to come to by keys. */
  override focus(): void {
    const name = this.renderRoot.querySelector<HTMLElement>('.head h2');
    if (name === null) return;
    name.tabIndex = -1;
    name.addEventListener('blur', () => name.removeAttribute('tabindex'), { once: true });
    name.focus();
  }

  /** In the place of Web Awesome's own, whose corner button would be drawn by its icon element. */
  protected heads(actions: unknown = nothing) {
    return html`<header class="head">
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

  /** Web Awesome sets the focus in the next frame, to the corner's button. */
  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has('open') || !this.open) return;
    requestAnimationFrame(() => requestAnimationFrame(() => this.#focusFirst()));
  }

  /** One who opens it to fill it in begins with its first field, unless in one already. */
  #focusFirst(): void {
    if (!this.open) return;
    const fields = fieldsIn(this, this.asks);
    const active = focused(document);
    if (!fields.some((field) => field.shadowRoot?.activeElement === active)) fields[0]?.focus();
  }

  /** What had the focus is gone, such as a form that was saved. */
  readonly #onFocusOut = (event: FocusEvent): void => {
    const [target] = event.composedPath();
    setTimeout(() => {
      const isGone = target instanceof HTMLElement && !target.isConnected;
      if (this.open && isGone && focused(document) === null) this.focus();
    });
  };

  /** The inner element asks to be closed. Nothing closes it but `open`. */
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

/** Those that fit the selector, also in the trees of elements. */
function fieldsIn(root: ParentNode, selector: string): readonly HTMLElement[] {
  const own = root.querySelectorAll<HTMLElement>(selector);
  if (own.length > 0) return [...own];
  return [...root.children].flatMap(({ shadowRoot }) =>
    shadowRoot === null ? [] : fieldsIn(shadowRoot, selector),
  );
}

/** The focused element itself, however deep it lies; null where none is. */
function focused(root: Document | ShadowRoot): HTMLElement | null {
  const active = root.activeElement;
  if (!(active instanceof HTMLElement) || active === document.body) return null;
  return active.shadowRoot === null ? active : (focused(active.shadowRoot) ?? active);
}
