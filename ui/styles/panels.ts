// Styles of tiles and chart panels. Data of an earlier query is dimmed.

import { css } from 'lit';

export const panels = css`
  .tiles {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr));
    gap: var(--space-3);
    margin-bottom: var(--space-3);
  }

  /* For two panels side by side. */
  @media (max-width: 640px) {
    .tiles > :last-child:nth-child(odd) {
      grid-column: 1 / -1;
    }
  }

  .charts {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr));
    gap: var(--space-3);
    margin-bottom: var(--space-5);
  }

  .panel {
    min-width: 0;
    padding: var(--space-3) var(--space-4);
    border: 1px solid var(--line);
    border-radius: var(--radius-l);
    background: var(--surface);
    box-shadow: var(--shadow-1);
  }

  .panel header {
    display: flex;
    align-items: baseline;
    justify-content: space-between;
    gap: var(--space-3);
  }

  /* Next to the controls of the chart. */
  .charts > .panel > header {
    padding-right: 3.5rem;
  }

  .panel :is(h2, h3) {
    margin-bottom: var(--space-2);
    font-size: var(--text-m);
  }

  .note {
    color: var(--text-2);
    font-size: var(--text-s);
  }

  .note.warn {
    color: var(--warn);
  }

  .shown {
    transition: opacity var(--quick);
  }

  .shown.old {
    opacity: 0.45;
  }

  @media (max-width: 640px) {
    .tiles {
      grid-template-columns: repeat(2, minmax(0, 1fr));
      gap: var(--space-2);
    }
  }
`;
