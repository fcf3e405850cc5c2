// Controls beside each other, on as many lines as they need.

import { css } from 'lit';

export const line = css`
  :host {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2);
  }
`;
