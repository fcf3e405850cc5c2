// Styles of the list of recent changes.

import { css } from 'lit';

export const overviewStyles = css`
  gw-error {
    margin-bottom: var(--space-4);
  }

  .changes header {
    display: flex;
    align-items: baseline;
    justify-content: space-between;
  }

  .changes li {
    display: grid;
    grid-template-columns: minmax(0, 14rem) minmax(0, 1fr) minmax(0, 10rem) 7rem;
    gap: var(--space-3);
    align-items: center;
    min-height: 2rem;
    border-top: 1px solid var(--line);
  }

  .changes li > * {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  .changes li > a {
    font-weight: 500;
  }

  .reason {
    margin-left: var(--space-3);
  }

  .about,
  .who,
  .changes gw-time {
    color: var(--text-2);
  }

  .changes gw-time {
    text-align: right;
  }

  @media (max-width: 640px) {
    .changes li {
      grid-template-columns: minmax(0, 1fr) 5.5rem;
    }

    .about,
    .who {
      display: none;
    }
  }
`;
