// Lays out request and response side by side, or one below the other on narrow pages.

import { css } from 'lit';

export const playgroundStyles = css`
  .sides {
    display: grid;
    grid-template-columns: minmax(18rem, 26rem) minmax(0, 1fr);
    align-items: start;
    gap: var(--space-4);
  }

  .card {
    padding: var(--space-4) var(--space-5) var(--space-5);
    border: 1px solid var(--line);
    border-radius: var(--radius-l);
    background: var(--surface);
    box-shadow: var(--shadow-1);
  }

  .ask {
    display: grid;
    gap: var(--space-4);
  }

  .acts {
    display: flex;
    flex-wrap: wrap;
    gap: var(--space-2);
  }

  .turn {
    max-width: 46rem;
    margin-bottom: var(--space-3);
    overflow-wrap: anywhere;
    line-height: 1.55;
  }

  .turn h2 {
    margin-bottom: 0.125rem;
    color: var(--text-2);
    font-size: var(--text-s);
    font-weight: 500;
  }

  .turn.user {
    padding: var(--space-2) var(--space-3);
    border-radius: var(--radius-m);
    background: var(--sunken);
  }

  .said,
  .reasoning {
    white-space: pre-wrap;
  }

  .reasoning {
    margin-bottom: var(--space-2);
    padding-left: var(--space-3);
    border-left: 2px solid var(--line-strong);
    color: var(--text-2);
  }

  .waits::after {
    content: '▍';
    color: var(--accent);
  }

  .blank {
    display: grid;
    gap: var(--space-1);
    justify-items: center;
    padding: var(--space-8) var(--space-4);
    color: var(--text-2);
    text-align: center;
  }

  .blank gw-icon {
    color: var(--text-3);
    font-size: 1.5rem;
  }

  @media (max-width: 900px) {
    .sides {
      grid-template-columns: minmax(0, 1fr);
    }

    .card {
      padding: var(--space-4);
    }
  }
`;
