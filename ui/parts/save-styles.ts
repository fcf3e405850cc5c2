// Styles of the save dialog.

import { css } from 'lit';

export const saveStyles = css`
  .parts {
    display: grid;
    gap: var(--space-4);
  }

  .warning {
    padding: var(--space-2) var(--space-3);
    border-radius: var(--radius-m);
    background: var(--warn-soft);
    color: var(--warn);
  }

  .other {
    display: flex;
    flex-wrap: wrap;
    gap: var(--space-2);
    margin-left: -0.625rem;
  }
`;
