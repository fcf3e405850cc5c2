// Marks changes on the time axis of a chart. Pointing at a mark, or focusing it, shows who changed what.

import { css, html, nothing } from 'lit';

import { element, given } from '../element.ts';
import { formatTime } from '../../lib/text/format.ts';
import { groupsOn } from '../../lib/observe/markers.ts';
import type { Axis, Marker, MarkerGroup } from '../../lib/observe/markers.ts';
import { writeRange } from '../../lib/page/range.ts';
import { linkTo } from '../../state/location.ts';
import { zone } from '../../state/preferences.ts';
import { base } from '../../styles/base.ts';
import { Watch } from '../watch.ts';

const namedMax = 5;

class GwChartMarkers extends element({
  markers: given<readonly Marker[]>([]),
  axis: given<Axis>(),
}) {
  static override styles = [
    base,
    css`
      :host {
        position: relative;
        height: 100%;
      }

      li {
        position: absolute;
        bottom: 0;
        height: 100%;
      }

      /* Only the mark itself can be pressed: the plot is for zooming. */
      li::before {
        position: absolute;
        bottom: 0;
        left: -0.5px;
        height: 100%;
        border-left: 1px dashed var(--text-3);
        opacity: 0.45;
        content: '';
      }

      a {
        position: absolute;
        isolation: isolate;
        bottom: -0.75rem;
        left: -0.75rem;
        display: grid;
        place-items: center;
        width: 1.5rem;
        height: 1.5rem;
        color: var(--on-accent);
        font-size: 0.625rem;
        font-weight: 600;
        line-height: 1;
        pointer-events: auto;
      }

      a::before {
        position: absolute;
        z-index: -1;
        width: 0.625rem;
        height: 0.625rem;
        border: 1px solid var(--surface);
        border-radius: 2px;
        background: var(--accent);
        rotate: 45deg;
        content: '';
      }

      a.many::before {
        width: 1rem;
        height: 1rem;
        border-radius: 50%;
      }

      a.many::after {
        content: attr(data-count);
      }

      a:hover {
        text-decoration: none;
      }

      .tip {
        position: absolute;
        bottom: 1.125rem;
        z-index: 10;
        display: none;
        width: max-content;
        max-width: 17rem;
        padding: var(--space-2) var(--space-3);
        border: 1px solid var(--line);
        border-radius: var(--radius-m);
        background: var(--raised);
        box-shadow: var(--shadow-2);
        font-size: var(--text-s);
        overflow-wrap: anywhere;
      }

      .tip.start {
        left: -0.75rem;
      }

      .tip.end {
        right: -0.75rem;
      }

      a:is(:hover, :focus-visible) + .tip {
        display: block;
      }

      .tip p + p {
        margin-top: var(--space-1);
      }

      .tip span {
        color: var(--text-2);
      }
    `,
  ];
  readonly #zone = new Watch(this, zone);

  protected override render() {
    return html`<ul aria-label="Changes in this time">
      ${groupsOn(this.axis, this.markers).map((group) => this.#mark(group))}
    </ul>`;
  }

  #mark({ x, members }: MarkerGroup) {
    const [only] = members;
    const isMany = members.length > 1;
    const texts = members.slice(0, namedMax).map((one) => this.#textOf(one));
    const more = members.length - texts.length;
    const words = texts.map(({ text, about, at }) => `${at}: ${text}, ${about}`);
    const label = [...words, ...(more > 0 ? [`${more} more`] : [])].join('. ');
    const change = linkTo({ screen: 'history', rest: [only?.id ?? ''] });
    return html`<li data-x=${x}>
      <a
        class=${isMany ? 'many' : ''}
        data-count=${isMany ? Math.min(members.length, 99) : nothing}
        aria-label="${isMany ? `${members.length} changes. ` : ''}${label}"
        href=${isMany ? this.#listOf(members) : change}
      ></a>
      <div class="tip ${x * 2 > this.axis.width ? 'end' : 'start'}" aria-hidden="true">
        ${texts.map(
          ({ text, about, at }) =>
            html`<p>${text}<br /><span>${about}</span><br /><span>${at}</span></p>`,
        )}
        ${more > 0 ? html`<p>${more} more</p>` : nothing}
      </div>
    </li>`;
  }

  #textOf({ text, about, at }: Marker) {
    return { text, about, at: formatTime(new Date(at), this.#zone.value) };
  }

  #listOf(members: readonly Marker[]): string {
    const [since, until] = [members[0]?.at ?? 0, (members.at(-1)?.at ?? 0) + 1];
    return linkTo({
      screen: 'history',
      query: { range: writeRange({ kind: 'between', since, until }) },
    });
  }

  /** The content security policy forbids attributes for the places. */
  protected override updated(): void {
    for (const mark of this.renderRoot.querySelectorAll<HTMLElement>('li')) {
      mark.style.setProperty('left', `${mark.dataset['x']}px`);
    }
  }
}

customElements.define('gw-chart-markers', GwChartMarkers);
