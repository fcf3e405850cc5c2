// Styles of lists that are made by picking.

import { css } from 'lit';

export const picksStyles = css`
  .label {
    display: flex;
    align-items: baseline;
    justify-content: space-between;
    gap: var(--space-2);
    margin-bottom: 0.1875rem;
    font-weight: 500;
  }

  .optional,
  .note {
    color: var(--text-3);
    font-size: var(--text-s);
    font-weight: 400;
  }

  ol {
    margin-bottom: var(--space-2);
    border: 1px solid var(--line);
    border-radius: var(--radius-m);
    counter-reset: pick;
  }

  li {
    display: flex;
    align-items: center;
    gap: var(--space-1);
    min-height: 2.125rem;
    padding: 0.125rem 0.25rem 0.125rem var(--space-3);
    border-bottom: 1px solid var(--line);
    counter-increment: pick;
  }

  li:last-child {
    border-bottom: 0;
  }

  .ordered li::before {
    min-width: 1.25rem;
    color: var(--text-3);
    font-size: var(--text-s);
    font-variant-numeric: tabular-nums;
    content: counter(pick);
  }

  .name {
    min-width: 0;
    overflow-wrap: anywhere;
  }

  .note {
    flex: 1;
    margin-left: var(--space-1);
  }

  .plain:disabled {
    background: transparent;
    opacity: 0.45;
  }

  .weight {
    display: flex;
    align-items: center;
    gap: var(--space-1);
    color: var(--text-2);
    font-size: var(--text-s);
  }

  .weight input {
    width: 4.5rem !important;
    min-height: 1.625rem !important;
    text-align: right;
  }

  .add {
    display: flex;
    gap: var(--space-2);
  }

  .add input {
    flex: 1;
    min-width: 0;
  }
`;
