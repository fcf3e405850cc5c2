// A menu of saved views, which saves and deletes them.

import { css, html } from 'lit';

import { element, state } from '../../../ui/elements/element.ts';
import '../../../ui/elements/overlay/menu.ts';
import type { MenuItem } from '../../../ui/elements/overlay/menu.ts';
import { Watch } from '../../../ui/elements/watch.ts';
import { navigate, place } from '../../../ui/state/location.ts';
import { notify } from '../../../ui/state/toasts.ts';
import { base, buttons, controls } from '../../../ui/styles/base.ts';
import { viewOf, views, withoutView, withView } from './views.ts';

class GwRequestViews extends element({
  naming: state(false),
}) {
  static override styles = [
    base,
    buttons,
    controls,
    css`
      form {
        display: flex;
        gap: var(--space-2);
      }

      input {
        width: 11rem;
      }
    `,
  ];
  readonly #place = new Watch(this, place);
  readonly #views = new Watch(this, views);

  protected override render() {
    if (!this.naming) {
      return html`<gw-menu
        icon="layers"
        label="Views"
        text="Views"
        .items=${this.#items()}
        @gw-choose=${this.#onChoose}
      ></gw-menu>`;
    }
    return html`<form @submit=${this.#onSave} @keydown=${this.#onKey}>
      <input name="name" aria-label="Name of the view" placeholder="Name" required maxlength="60" />
      <button class="primary">Save view</button>
      <button type="button" @click=${() => this.#close()}>Cancel</button>
    </form>`;
  }

  #current() {
    const query = viewOf(this.#place.value.query);
    return this.#views.value.find((view) => view.query === query);
  }

  #items(): readonly MenuItem[] {
    const current = this.#current();
    const saved = this.#views.value.map((view): MenuItem => {
      const { name } = view;
      return { value: `open ${name}`, label: name, checked: view === current };
    });
    const change: MenuItem =
      current === undefined
        ? { value: 'save', label: 'Save this view', icon: 'plus' }
        : { value: 'delete', label: `Delete view ${current.name}`, icon: 'trash-2', danger: true };
    return [...saved, change];
  }

  #close(): void {
    this.naming = false;
    void this.#focus('gw-menu');
  }

  async #focus(selector: string): Promise<void> {
    await this.updateComplete;
    const found = this.renderRoot.querySelector<HTMLElement>(selector);
    (found?.shadowRoot?.querySelector('button') ?? found)?.focus();
  }

  readonly #onChoose = ({ detail }: CustomEvent<string>): void => {
    const current = this.#current();
    if (detail === 'save') {
      this.naming = true;
      void this.#focus('input');
    } else if (detail === 'delete' && current !== undefined) {
      views.set(withoutView(views.get(), current.name));
      notify({ text: `View ${current.name} deleted` });
    } else {
      const view = views.get().find(({ name }) => detail === `open ${name}`);
      const query = Object.fromEntries(new URLSearchParams(view?.query));
      navigate({ screen: 'requests', query });
    }
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    this.#close();
  };

  readonly #onSave = (event: Event): void => {
    event.preventDefault();
    const name = this.renderRoot.querySelector('input')?.value.trim() ?? '';
    if (name === '') return;
    views.set(withView(views.get(), { name, query: viewOf(place.get().query) }));
    notify({ text: `View ${name} saved in this browser` });
    this.#close();
  };
}

customElements.define('gw-request-views', GwRequestViews);
