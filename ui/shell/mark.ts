// The logo. The caller sets its size.

import { html } from 'lit';

export const mark = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
  <rect width="32" height="32" rx="8" fill="var(--accent)"></rect>
  <path
    d="M7 16h7m0 0 5-6h6m-11 6 5 6h6"
    fill="none"
    stroke="var(--on-accent)"
    stroke-width="2.6"
    stroke-linecap="round"
    stroke-linejoin="round"
  ></path>
</svg>`;
