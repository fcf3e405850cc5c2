// Styles of controls in a row that wraps.

import { css } from 'lit';

export const line = css`
  :host {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2);
  }
`;
