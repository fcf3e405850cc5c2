// How the overview is laid out: tiles, two charts beside each other, and the list of changes.

import { css } from 'lit';

export const overviewStyles = css`
  gw-error {
    margin-bottom: var(--space-4);
  }

  .tiles {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(10.5rem, 1fr));
    gap: var(--space-3);
  }

  .charts {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr));
    gap: var(--space-3);
    margin-top: var(--space-3);
  }

  section {
    min-width: 0;
    padding: var(--space-3) var(--space-4);
    border: 1px solid var(--line);
    border-radius: var(--radius-l);
    background: var(--surface);
    box-shadow: var(--shadow-1);
  }

  section h2 {
    margin-bottom: var(--space-2);
    font-size: var(--text-m);
  }

  .changes {
    margin-top: var(--space-3);
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

  .changes a {
    font-weight: 500;
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
    .tiles {
      grid-template-columns: repeat(2, minmax(0, 1fr));
      gap: var(--space-2);
    }

    .changes li {
      grid-template-columns: minmax(0, 1fr) 5.5rem;
    }

    .about,
    .who {
      display: none;
    }
  }
`;
