// Tiles and charts beside each other.

import { css } from 'lit';

export const panels = css`
  gw-error {
    margin-bottom: var(--space-4);
  }

  .tiles {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr));
    gap: var(--space-3);
    margin-bottom: var(--space-3);
  }

  .charts {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr));
    gap: var(--space-3);
    margin-bottom: var(--space-6);
  }

  section {
    min-width: 0;
    padding: var(--space-3) var(--space-4);
    border: 1px solid var(--line);
    border-radius: var(--radius-l);
    background: var(--surface);
  }

  section h3 {
    margin-bottom: var(--space-2);
  }

  @media (max-width: 640px) {
    .tiles {
      grid-template-columns: repeat(2, minmax(0, 1fr));
      gap: var(--space-2);
    }
  }
`;
