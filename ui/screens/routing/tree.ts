// Draws the routing as nested lists: each frontend model with its rules, their targets and what serves them.

import { css, html, nothing } from 'lit';

import '../../elements/badge.ts';
import type { Tone } from '../../elements/badge.ts';
import { element, flag, given, state, text } from '../../elements/element.ts';
import type { Change, Graph, RouteEdge, RouteNode } from '../../lib/routing/map/graph.ts';
import { trafficOf } from '../../lib/routing/map/shown.ts';
import type { Traffic } from '../../lib/routing/map/shown.ts';
import { linkTo } from '../../state/location.ts';
import { base } from '../../styles/base.ts';
import { trafficText } from './words.ts';

/** More frontend models are folded at first. */
const openMax = 3;

const tones: Readonly<Record<Change, Tone>> = { added: 'good', removed: 'bad', changed: 'info' };

class GwRouteTree extends element({
  graph: given<Graph>(),
  counted: flag(),
  /** The version that removed records are from; empty without a comparison. */
  compared: text(''),
  /** Frontend models that were opened or folded by hand. */
  turned: state<ReadonlySet<string>>(),
}) {
  static override styles = [
    base,
    css`
      details {
        padding: var(--space-2) 0;
        border-bottom: 1px solid var(--line);
      }

      summary {
        padding: 0.25rem 0;
        cursor: pointer;
        font-weight: 500;
      }

      ul {
        margin-left: 0.375rem;
        padding-left: var(--space-3);
        border-left: 1px solid var(--line);
      }

      li {
        padding: 0.1875rem 0;
      }

      .line {
        min-height: 1.5rem;
      }

      .open {
        display: inline-block;
        margin: 0 0 var(--space-1) 0.375rem;
        font-size: var(--text-s);
        line-height: 1.5rem;
      }

      .line {
        display: inline-flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0 var(--space-2);
        overflow-wrap: anywhere;
      }

      .more {
        color: var(--text-2);
        font-size: var(--text-s);
        font-variant-numeric: tabular-nums;
      }
    `,
  ];

  constructor() {
    super();
    this.turned = new Set();
  }

  protected override render() {
    const { nodes, edges } = this.graph;
    const roots = [...nodes.values()].filter(({ column }) => column === 'frontend');
    const traffic = trafficOf(this.graph);
    const next = Map.groupBy(
      [...edges.values()].toSorted((one, other) => one.rank - other.rank),
      ({ from }) => from,
    );
    return roots.map((root) => {
      const isOpen = roots.length <= openMax !== this.turned.has(root.key);
      return html`<details ?open=${isOpen} @toggle=${(event: Event) => this.#turn(event, root.key)}>
        <summary>${this.#line(root, traffic.get(root.key) ?? null, null)}</summary>
        ${isOpen ? html`${this.#link(root)} ${this.#below(root.key, next)}` : nothing}
      </details>`;
    });
  }

  #turn({ currentTarget }: Event, key: string): void {
    if (!(currentTarget instanceof HTMLDetailsElement)) return;
    const roots = [...this.graph.nodes.values()].filter(({ column }) => column === 'frontend');
    const isOpen = roots.length <= openMax !== this.turned.has(key);
    if (isOpen !== currentTarget.open) {
      this.turned = this.turned.symmetricDifference(new Set([key]));
    }
  }

  #below(key: string, next: ReadonlyMap<string, readonly RouteEdge[]>): unknown {
    const ways = next.get(key) ?? [];
    if (ways.length === 0) return nothing;
    return html`<ul>
      ${ways.map((edge) => {
        const node = this.graph.nodes.get(edge.to);
        if (node === undefined) return nothing;
        return html`<li>
          ${edge.isJump ? 'Continues with ' : nothing}${this.#line(node, edge, edge)}
          ${edge.isJump ? nothing : this.#below(edge.to, next)}
        </li>`;
      })}
    </ul>`;
  }

  #link({ place, name, change }: RouteNode) {
    if (place === null) return nothing;
    return html`<a class="open" href=${linkTo({ ...place, query: this.#pastOf(change) })}
      >Open ${name}</a
    >`;
  }

  #pastOf(change: Change | null): Readonly<Record<string, string>> {
    return change === 'removed' && this.compared !== '' ? { as_of: this.compared } : {};
  }

  /** The traffic is that of the way to the record. Frontend models have their link below. */
  #line(node: RouteNode, traffic: Traffic | null, edge: RouteEdge | null) {
    const { name, place, health, note } = node;
    const change = node.change ?? edge?.change ?? null;
    const about = [
      note,
      edge?.note ?? '',
      this.counted && traffic !== null && edge?.isJump !== true ? trafficText(traffic) : '',
    ].filter((part) => part !== '');
    return html`<span class="line"
      >${
        place === null || edge === null
          ? html`<span>${name}</span>`
          : html`<a href=${linkTo({ ...place, query: this.#pastOf(change) })}>${name}</a>`
      }
      ${change === null ? nothing : html`<gw-badge tone=${tones[change]}>${change}</gw-badge>`}
      ${health === null ? nothing : html`<gw-badge tone=${health.tone}>${health.word}</gw-badge>`}
      <span class="more">${about.join(' · ')}</span></span
    >`;
  }
}

customElements.define('gw-route-tree', GwRouteTree);
