// Draws the routing as columns of records with curves between them. Pointing at a record shows the ways through it.

import { html, nothing, svg } from 'lit';

import { element, flag, given, state, text } from '../../elements/element.ts';
import '../../elements/icon.ts';
import type { Graph } from '../../lib/routing/map/graph.ts';
import { denseFrom, layoutOf } from '../../lib/routing/map/layout.ts';
import type { Layout, PlacedEdge, PlacedNode } from '../../lib/routing/map/layout.ts';
import { around } from '../../lib/routing/map/shown.ts';
import { formatNumber, formatShort } from '../../lib/text/format.ts';
import { linkTo } from '../../state/location.ts';
import { base } from '../../styles/base.ts';
import { pictureStyles } from './styles.ts';
import { columnNames, failedShare, kinds, nodeText, signs } from './words.ts';

/** More labels would cover each other; then only those of a chosen way are drawn. */
const labelsMax = 30;

class GwRoutePicture extends element({
  graph: given<Graph>(),
  /** Traffic is known. */
  counted: flag(),
  /** The version that removed records are from; empty without a comparison. */
  compared: text(''),
  width: state(0),
  active: state<string | null>(null),
}) {
  static override styles = [base, pictureStyles];
  readonly #resize = new ResizeObserver(([entry]) => {
    this.width = Math.floor(entry?.contentRect.width ?? 0);
  });

  override connectedCallback(): void {
    super.connectedCallback();
    this.#resize.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
  }

  protected override render() {
    if (this.width === 0) return nothing;
    const layout = layoutOf(this.graph, { width: this.width });
    const way = this.active === null ? null : around(this.graph, this.active);
    return html`<div
      class="canvas ${layout.nodes.length > 0 && isDense(layout) ? 'dense' : ''}"
      role="group"
      aria-label="Routing, from frontend models to providers"
      @keydown=${(event: KeyboardEvent) => this.#onKey(event, layout)}
      @pointerleave=${() => this.#activate(null)}
    >
      ${layout.columns.map(
        ({ column, count }) =>
          html`<p class="head">${columnNames[column]} <span>${count}</span></p>`,
      )}
      <svg aria-hidden="true" viewBox="0 0 ${layout.width} ${layout.height}">
        ${layout.edges.map((edge) => this.#edge(edge, way, layout.edges.length))}
      </svg>
      ${layout.nodes.map((node) => this.#node(node, way))}
    </div>`;
  }

  #edge(edge: PlacedEdge, way: ReadonlySet<string> | null, count: number) {
    const isOn = way !== null && way.has(edge.from) && way.has(edge.to);
    const isDown = this.graph.nodes.get(edge.to)?.health?.tone === 'bad';
    const classes = [
      'edge',
      edge.requests > 0 ? 'used' : '',
      edge.rank > 0 && edge.to.search(/^(rule|default)-/) === -1 ? 'later' : '',
      edge.isJump ? 'jump' : '',
      isDown ? 'down' : '',
      edge.change ?? '',
      way === null ? '' : isOn ? 'on' : 'off',
    ].join(' ');
    const isFree = isOn || (way === null && count <= labelsMax);
    const sign = edge.change === null ? '' : signs[edge.change];
    const label = isFree ? this.#label(edge) : way === null ? sign : '';
    return svg`<g class=${classes}>
      <path d=${edge.path} stroke-width=${edge.width}></path>
      ${label !== '' ? svg`<text x=${edge.at.x} y=${edge.at.y}>${label}</text>` : nothing}
    </g>`;
  }

  #label({ change, requests, note }: PlacedEdge): string {
    const sign = change === null ? '' : signs[change];
    const traffic = this.counted && requests > 0 ? formatShort(requests) : '';
    return [sign, traffic, note].filter((part) => part !== '').join(' ');
  }

  #node(node: PlacedNode, way: ReadonlySet<string> | null) {
    const { key, change, health, name, note, place, traffic } = node;
    const tone = health?.tone ?? '';
    const classes = ['node', node.column, tone, change ?? '', way?.has(key) === true ? 'on' : ''];
    const isUnwell = tone === 'bad' || tone === 'warn';
    const words = nodeText(node, this.counted ? traffic : null);
    const failed = this.counted ? failedShare(traffic) : '';
    const content = html`<span class="name"
        >${only(`${kinds[node.column]} `)}${
          change === null ? nothing : html`<b class="sign" aria-hidden="true">${signs[change]}</b>`
        }${isUnwell ? alert : nothing}${name}${change === null ? nothing : only(` ${change}`)}</span
      >
      <span class="count"
        >${
          this.counted && traffic.requests > 0
            ? html`${formatNumber(traffic.requests)}${only(traffic.requests === 1 ? ' request' : ' requests')}`
            : nothing
        }</span
      >
      <span class="note"
        >${
          isUnwell
            ? health?.word
            : [note, health?.word ?? ''].filter((part) => part !== '').join(', ')
        }</span
      >
      <span class="failed">${failed === '' ? nothing : html`${failed}${only(' failed')}`}</span>`;
    const show = () => this.#activate(key);
    const hide = () => this.#activate(null);
    if (place === null) {
      return html`<div
        class=${classes.join(' ')}
        role="group"
        tabindex="0"
        aria-label=${words}
        title=${words}
        @pointerenter=${show}
        @focus=${show}
        @blur=${hide}
      >
        ${content}
      </div>`;
    }
    const query = change === 'removed' && this.compared !== '' ? { as_of: this.compared } : {};
    return html`<a
      class=${classes.join(' ')}
      href=${linkTo({ ...place, query })}
      title=${words}
      @pointerenter=${show}
      @focus=${show}
      @blur=${hide}
      >${content}</a
    >`;
  }

  #activate(key: string | null): void {
    this.active = key;
  }

  /** The content security policy forbids attributes for the places. */
  protected override updated(): void {
    if (this.width === 0) return;
    const layout = layoutOf(this.graph, { width: this.width });
    const canvas = this.renderRoot.querySelector<HTMLElement>('.canvas');
    canvas?.style.setProperty('--canvas-width', `${layout.width}px`);
    canvas?.style.setProperty('--canvas-height', `${layout.height}px`);
    canvas?.style.setProperty('--node-width', `${layout.nodeWidth}px`);
    canvas?.style.setProperty('--node-height', `${layout.nodeHeight}px`);
    for (const [index, head] of this.#all('.head').entries()) {
      head.style.setProperty('left', `${layout.columns[index]?.x ?? 0}px`);
    }
    for (const [index, drawn] of this.#all('.node').entries()) {
      const { x = 0, y = 0 } = layout.nodes[index] ?? {};
      drawn.style.setProperty('translate', `${x}px ${y}px`);
    }
  }

  #all(selector: string): NodeListOf<HTMLElement> {
    return this.renderRoot.querySelectorAll<HTMLElement>(selector);
  }

  /** Arrow keys go to the neighbours of the focused record. */
  #onKey(event: KeyboardEvent, layout: Layout): void {
    const at = layout.nodes.findIndex(({ key }) => key === this.active);
    const from = layout.nodes[at];
    if (from === undefined) return;
    const to = neighbourOf(from, event.key, layout);
    if (to === undefined) return;
    event.preventDefault();
    this.#all('.node').item(layout.nodes.indexOf(to)).focus();
  }
}

const alert = html`<gw-icon name="alert-triangle"></gw-icon>`;

/** For screen readers. */
const only = (shown: string) => html`<span class="only-read">${shown}</span>`;

const isDense = ({ columns }: Layout): boolean => columns.some(({ count }) => count > denseFrom);

function neighbourOf(
  from: PlacedNode,
  key: string,
  { nodes, edges }: Layout,
): PlacedNode | undefined {
  const named = (name: string | undefined) => nodes.find((node) => node.key === name);
  const inColumn = nodes.filter(({ column }) => column === from.column);
  const ways = edges
    .filter(({ isJump }) => !isJump)
    .toSorted((one, other) => one.rank - other.rank);
  switch (key) {
    case 'ArrowRight':
      return named(ways.find((edge) => edge.from === from.key)?.to);
    case 'ArrowLeft':
      return named(ways.find((edge) => edge.to === from.key)?.from);
    case 'ArrowDown':
      return inColumn[inColumn.indexOf(from) + 1];
    case 'ArrowUp':
      return inColumn[inColumn.indexOf(from) - 1];
    default:
      return undefined;
  }
}

customElements.define('gw-route-picture', GwRoutePicture);
