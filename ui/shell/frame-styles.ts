// Lays out the frame on wide and narrow pages.

import { css } from 'lit';

export const frameStyles = css`
  .frame {
    display: grid;
    grid-template: var(--header) minmax(0, 1fr) / var(--sidebar) minmax(0, 1fr);
    height: 100vh;
    height: 100dvh;
  }

  .side {
    grid-row: 1 / 3;
    min-height: 0;
    border-right: 1px solid var(--line);
  }

  main {
    min-width: 0;
    overflow-y: auto;
  }

  .skip {
    position: absolute;
    top: -4rem;
    left: var(--space-3);
    z-index: 50;
    padding: var(--space-2) var(--space-3);
    border-radius: var(--radius-m);
    background: var(--raised);
    box-shadow: var(--shadow-2);
  }

  .skip:focus {
    top: var(--space-2);
  }

  main > gw-skeleton,
  .unconfigured {
    padding: var(--space-5) var(--space-6) 0;
  }

  .past {
    position: sticky;
    top: 0;
    z-index: 10;
  }

  /* What has the focus is not below the bar. */
  main:has(.past) {
    scroll-padding-top: 4rem;
  }

  .login {
    display: grid;
    gap: var(--space-4);
    width: min(22rem, calc(100vw - 2rem));
    margin: 0 auto;
    padding-top: 14vh;
  }

  .login .mark {
    width: 2.5rem;
  }

  .login .mark,
  .login h1 {
    margin-inline: auto;
  }

  .login .card {
    padding: var(--space-5);
    border: 1px solid var(--line);
    border-radius: var(--radius-l);
    background: var(--surface);
    box-shadow: var(--shadow-1);
  }

  .menu gw-sidebar {
    --current: var(--hover);
    margin: calc(-1 * var(--space-5));
    background: transparent;
  }

  .keys {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr));
    gap: var(--space-2);
  }

  .keys div {
    display: flex;
    gap: var(--space-3);
  }

  .tick {
    display: flex;
    align-items: center;
    gap: var(--space-2);
    margin-top: var(--space-4);
    color: var(--text-2);
  }

  dt {
    min-width: 3.5rem;
    font-family: var(--mono);
    font-size: var(--text-s);
  }

  dd {
    color: var(--text-2);
  }

  @media (max-width: 900px) {
    .frame {
      grid-template-columns: 0 minmax(0, 1fr);
    }

    .side {
      display: none;
    }

    gw-header,
    main {
      grid-column: 2;
    }
  }

  /* The screen alone, as long as it is; below what is open over it there is nothing. */
  @media print {
    .frame {
      display: block;
      height: var(--below-height, auto);
      overflow: var(--below-overflow, visible);
    }

    .side,
    .skip,
    gw-header,
    gw-toasts {
      display: none;
    }

    main {
      overflow: visible;
    }
  }
`;
