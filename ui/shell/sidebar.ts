// The navigation to all screens, in groups.

import { css, html } from 'lit';

import { element, flag, text } from '../elements/element.ts';
import '../elements/icon.ts';
import { Watch } from '../elements/watch.ts';
import { screensFor } from '../screens.ts';
import type { Screen } from '../extension.ts';
import { linkTo, place } from '../state/location.ts';
import { may } from '../state/session.ts';
import { base } from '../styles/base.ts';
import { mark } from './mark.ts';

class GwSidebar extends element({
  isManaged: flag(),
  version: text(''),
}) {
  static override styles = [
    base,
    css`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        padding: 0 var(--space-2) var(--space-3);
        overflow-y: auto;
        background: var(--sunken);
      }

      .brand {
        display: flex;
        flex: none;
        align-items: center;
        gap: var(--space-2);
        height: var(--header);
        padding: 0 var(--space-2);
        color: var(--text);
        font-size: var(--text-l);
        font-weight: 650;
        letter-spacing: -0.01em;
      }

      .brand svg {
        width: 1.375rem;
        height: 1.375rem;
      }

      .group {
        margin: var(--space-3) 0 0.125rem;
        padding: 0 var(--space-2);
        color: var(--text-3);
        font-size: var(--text-xs);
        font-weight: 500;
        letter-spacing: 0.02em;
      }

      a {
        display: flex;
        align-items: center;
        gap: 0.5rem;
        height: 1.75rem;
        padding: 0 var(--space-2);
        border-radius: var(--radius-m);
        color: var(--text-2);
        font-weight: 500;
        text-decoration: none;
      }

      li a:hover {
        background: var(--hover);
        color: var(--text);
        text-decoration: none;
      }

      li a[aria-current='page'] {
        background: var(--current, var(--surface));
        box-shadow:
          inset 0 0 0 1px var(--line),
          var(--shadow-1);
        color: var(--text);
      }

      a[aria-current='page'] gw-icon {
        color: var(--accent-text);
      }

      nav {
        display: flex;
        flex: 1;
        flex-direction: column;
      }

      .version {
        margin-top: auto;
        padding: var(--space-3) var(--space-2) 0;
        color: var(--text-3);
        font-size: var(--text-xs);
      }
    `,
  ];
  readonly #place = new Watch(this, place);

  protected override render() {
    const shown = screensFor(may).filter(({ managed }) => managed !== true || this.isManaged);
    return html`
      <nav aria-label="Screens">
        <a class="brand" href=${linkTo({ screen: 'overview' })}>${mark}gw</a>
        ${[...Map.groupBy(shown, ({ group }) => group)].map(
          ([group, inIt]) =>
            html`<p class="group" id=${group} ?hidden=${group === 'Now'}>${group}</p>
              <ul aria-labelledby=${group}>
                ${inIt.map((screen) => this.#link(screen))}
              </ul>`,
        )}
        <p class="version">${this.version === '' ? '' : `gw ${this.version}`}</p>
      </nav>
    `;
  }

  #link({ name, title, icon }: Screen) {
    const current = this.#place.value.screen === name ? 'page' : 'false';
    return html`<li>
      <a href=${linkTo({ screen: name })} aria-current=${current}
        ><gw-icon name=${icon}></gw-icon>${title}</a
      >
    </li>`;
  }
}

customElements.define('gw-sidebar', GwSidebar);
