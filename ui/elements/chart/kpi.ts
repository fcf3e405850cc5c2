// Draws one number with its name, a note and a link to its screen.

import { css, html, nothing } from 'lit';

import { element, reflected, text } from '../element.ts';
import { base } from '../../styles/base.ts';

class GwKpi extends element({
  label: text(),
  value: text(),
  href: text(''),
  /** `none`: there is no value. */
  tone: reflected(text<'plain' | 'warn' | 'bad' | 'none'>('plain')),
}) {
  static override styles = [
    base,
    css`
      :host {
        min-width: 0;
      }

      a,
      div {
        display: flex;
        flex-direction: column;
        gap: 0.125rem;
        height: 100%;
        padding: var(--space-3) var(--space-4);
        border: 1px solid var(--line);
        border-radius: var(--radius-l);
        background: var(--surface);
        box-shadow: var(--shadow-1);
        color: inherit;
        transition: border-color var(--quick);
      }

      a:hover {
        border-color: var(--control-line);
        text-decoration: none;
      }

      .label {
        color: var(--text-2);
        font-size: var(--text-s);
      }

      .value {
        overflow: hidden;
        font-size: var(--text-2xl);
        font-weight: 600;
        font-variant-numeric: tabular-nums;
        letter-spacing: -0.02em;
        line-height: 1.25;
        text-overflow: ellipsis;
        white-space: nowrap;
      }

      .note {
        min-height: 1.125rem;
        color: var(--text-2);
        font-size: var(--text-s);
      }

      :host([tone='bad']) .value {
        color: var(--bad);
      }

      :host([tone='warn']) .value {
        color: var(--warn);
      }

      :host([tone='none']) .value {
        color: var(--text-3);
        font-size: var(--text-xl);
        line-height: 1.7;
      }
    `,
  ];

  protected override render() {
    const parts = html`<span class="label">${this.label}</span>
      <span class="value">${this.value}</span>
      <span class="note"><slot></slot></span>`;
    if (this.href === '') return html`<div>${parts}</div>`;
    return html`<a href=${this.href || nothing}>${parts}</a>`;
  }
}

customElements.define('gw-kpi', GwKpi);
