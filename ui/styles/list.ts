// Styles of the History lists.

import { css } from 'lit';

export const listStyles = css`
  gw-error {
    margin-bottom: var(--space-3);
  }

  .more {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-3);
    margin-top: var(--space-3);
    color: var(--text-2);
  }
`;
