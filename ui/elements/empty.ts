// The empty state of a list: a heading, an explanation, actions in the slot, and a command.

import { css, html, nothing } from 'lit';

import { element, text } from './element.ts';
import type { IconName } from '../icons.ts';
import { base } from '../styles/base.ts';
import './copy.ts';
import './icon.ts';

class GwEmpty extends element({
  heading: text(),
  icon: text<IconName>('circle-dashed'),
  command: text(''),
}) {
  static override styles = [
    base,
    css`
      :host {
        padding: var(--space-8) var(--space-4);
        border: 1px dashed var(--line-strong);
        border-radius: var(--radius-l);
        text-align: center;
      }

      gw-icon {
        color: var(--text-3);
        font-size: 1.5rem;
      }

      h2 {
        margin-top: var(--space-2);
      }

      .about {
        max-width: 34rem;
        margin: 0.125rem auto var(--space-4);
        color: var(--text-2);
      }

      .command {
        display: inline-flex;
        align-items: center;
        gap: var(--space-1);
        max-width: 100%;
        margin-top: var(--space-4);
        padding: 0.125rem 0.25rem 0.125rem 0.625rem;
        border-radius: var(--radius-m);
        background: var(--sunken);
        color: var(--text-2);
      }

      code {
        overflow-wrap: anywhere;
        text-align: left;
      }
    `,
  ];

  protected override render() {
    return html`
      <gw-icon name=${this.icon}></gw-icon>
      <h2>${this.heading}</h2>
      <p class="about"><slot name="about"></slot></p>
      <slot></slot>
      ${this.command === '' ? nothing : this.#command()}
    `;
  }

  #command() {
    return html`<div>
      <span class="command"
        ><code>${this.command}</code><gw-copy text=${this.command} label="command"></gw-copy
      ></span>
    </div>`;
  }
}

customElements.define('gw-empty', GwEmpty);
