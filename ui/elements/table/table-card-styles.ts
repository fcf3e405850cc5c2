// Styles of tables on phones, where each row is a card.

import { css } from 'lit';

export const tableCardStyles = css`
  /* A card for each row: its name, then its labeled values. */
  .cards {
    max-height: none;
    border: 0;
    background: transparent;
  }

  .cards table,
  .cards tbody {
    display: block;
  }

  .cards thead {
    display: none;
  }

  .cards tr {
    position: relative;
    display: block;
    margin-bottom: var(--space-2);
    padding: var(--space-2) var(--space-3);
    border: 1px solid var(--line);
    border-radius: var(--radius-l);
  }

  .cards :is(tbody th, td) {
    position: static;
    display: flow-root;
    max-width: none;
    height: auto;
    min-height: 1.75rem;
    padding: 0.1875rem 0;
    overflow: visible;
    border: 0;
    text-align: right;
    overflow-wrap: anywhere;
    white-space: normal;
  }

  .cards tbody th {
    text-align: left;
  }

  .cards td:empty {
    display: none;
  }

  .cards td::before {
    float: left;
    margin-right: var(--space-3);
    color: var(--text-2);
    font-size: var(--text-s);
    content: attr(data-label);
  }

  .cards .tick {
    position: absolute;
    top: var(--space-2);
    right: var(--space-3);
    width: auto;
  }

  .cards .marked {
    background: var(--bad-soft);
  }

  .cards .marked .first {
    box-shadow: none;
  }
`;
