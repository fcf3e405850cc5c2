// Styles of the Requests screen.

import { css } from 'lit';

export const screenStyles = css`
  gw-request-filters {
    margin-bottom: var(--space-3);
  }

  [aria-pressed='true'] {
    border-color: var(--accent);
    background: var(--accent-soft);
    color: var(--accent-text);
  }

  .versus {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-2) var(--space-3);
    margin-bottom: var(--space-3);
    padding-left: var(--space-3);
    border-left: 3px solid var(--series-2);
  }

  .versus gw-request-filters {
    margin: 0;
  }

  .versus label {
    display: flex;
    align-items: center;
    gap: var(--space-2);
    color: var(--text-2);
    white-space: nowrap;
  }

  .versus select {
    width: auto;
  }

  .charts {
    grid-template-columns: repeat(auto-fit, minmax(min(17rem, 100%), 1fr));
    margin-bottom: var(--space-4);
  }

  .charts > .panel:not(:first-child) > header {
    padding-right: 0;
  }

  .part,
  .rest {
    margin-bottom: var(--space-3);
    color: var(--text-2);
    font-size: var(--text-s);
  }

  .rest {
    margin-top: var(--space-3);
  }

  .live {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--space-3);
    margin-bottom: var(--space-2);
  }

  .live .on {
    color: var(--good);
    font-weight: 500;
  }

  .live .off {
    color: var(--warn);
  }

  .compared {
    margin-bottom: var(--space-3);
    overflow-x: auto;
  }

  .compared table {
    width: 100%;
    max-width: 44rem;
    border-collapse: collapse;
    font-variant-numeric: tabular-nums;
  }

  .compared :is(th, td) {
    padding: 0.25rem 0.5rem;
    border-bottom: 1px solid var(--line);
    font-weight: 400;
    text-align: right;
    white-space: nowrap;
  }

  .compared th[scope='row'] {
    padding-left: 0;
    text-align: left;
  }

  .compared thead th {
    color: var(--text-2);
    font-size: var(--text-s);
  }

  .compared tbody tr:last-child > * {
    border-bottom: 0;
  }

  .compared i {
    display: inline-block;
    width: 0.625rem;
    height: 0.625rem;
    margin-right: 0.375rem;
    border-radius: 2px;
    background: var(--series-1);
  }

  .compared i.other {
    background: var(--series-2);
  }

  @media (max-width: 640px) {
    .compared :is(th, td) {
      padding-inline: 0.3125rem;
      font-size: var(--text-s);
    }
  }

  .worse {
    color: var(--bad);
  }

  .better {
    color: var(--good);
  }
`;
