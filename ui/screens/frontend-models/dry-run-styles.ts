// Styles of the dry run.

import { css } from 'lit';

export const dryRunStyles = css`
  section {
    border: 1px solid var(--line);
    border-radius: var(--radius-l);
    background: var(--surface);
    box-shadow: var(--shadow-1);
  }

  header {
    display: flex;
    align-items: baseline;
    justify-content: space-between;
    padding: var(--space-3) var(--space-4);
    border-bottom: 1px solid var(--line);
  }

  header h2 {
    font-size: var(--text-m);
  }

  .question,
  .more,
  .answer {
    display: grid;
    gap: var(--space-3);
  }

  .question,
  .answer {
    padding: var(--space-3) var(--space-4);
  }

  .answer {
    border-top: 1px solid var(--line);
    background: var(--sunken);
  }

  .pair {
    display: grid;
    grid-template-columns: repeat(2, minmax(0, 1fr));
    gap: var(--space-3);
  }

  gw-field[name='streaming'] {
    align-self: end;
    padding-bottom: 0.1875rem;
  }

  summary {
    color: var(--text-2);
    cursor: pointer;
  }

  .more {
    margin-top: var(--space-3);
  }

  .reason {
    display: flex;
    align-items: center;
    gap: var(--space-2);
  }

  .reason code {
    font-size: var(--text-l);
    font-weight: 600;
    overflow-wrap: anywhere;
  }

  .word {
    color: var(--text-2);
    font-size: var(--text-s);
  }

  .fill {
    flex: 1;
  }

  .candidates {
    border: 1px solid var(--line);
    border-radius: var(--radius-m);
    background: var(--surface);
    counter-reset: candidate;
  }

  .candidates li {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: var(--space-2);
    padding: 0.3125rem var(--space-3);
    border-bottom: 1px solid var(--line);
    counter-increment: candidate;
  }

  .candidates li::before {
    color: var(--text-3);
    font-size: var(--text-s);
    font-variant-numeric: tabular-nums;
    content: counter(candidate);
  }

  .candidates li:last-child {
    border-bottom: 0;
  }

  .end {
    margin-left: auto;
    color: var(--text-2);
  }

  .notice {
    padding: var(--space-2) var(--space-3);
    border-radius: var(--radius-m);
    background: var(--info-soft);
  }

  .notice.warn {
    background: var(--warn-soft);
  }

  .fact,
  .denied {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2);
  }

  .caveats {
    display: grid;
    gap: 0.125rem;
    padding: var(--space-3) var(--space-4);
    border-top: 1px solid var(--line);
    color: var(--text-2);
    font-size: var(--text-s);
  }
`;
