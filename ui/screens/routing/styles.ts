// Styles of the picture of the routing, and of its list.

import { css } from 'lit';

export const pictureStyles = css`
  :host {
    overflow-x: auto;
    padding: 0.25rem;
    margin: -0.25rem;
  }

  .canvas {
    position: relative;
    width: var(--canvas-width);
    height: calc(var(--canvas-height) + 1.75rem);
  }

  .head {
    position: absolute;
    top: 0;
    width: var(--node-width);
    color: var(--text-2);
    font-size: var(--text-s);
    font-weight: 500;
  }

  .head span {
    color: var(--text-3);
    font-weight: 400;
  }

  svg {
    position: absolute;
    top: 1.75rem;
    left: 0;
    width: var(--canvas-width);
    height: var(--canvas-height);
    overflow: visible;
  }

  .edge {
    stroke: var(--line-strong);
    transition: opacity var(--quick);
  }

  .edge path {
    fill: none;
    stroke-opacity: 0.9;
  }

  .edge.used {
    stroke: var(--accent);
  }

  .edge.used path {
    stroke-opacity: 0.4;
  }

  .edge.later path {
    stroke-dasharray: 6 4;
  }

  .edge.jump path {
    stroke-dasharray: 2 3;
  }

  .edge.down {
    stroke: var(--bad);
  }

  .edge.added {
    stroke: var(--good);
  }

  .edge.removed {
    stroke: var(--bad);
  }

  .edge.removed path {
    stroke-dasharray: 2 5;
  }

  .edge.changed {
    stroke: var(--info);
  }

  .edge:is(.added, .removed, .changed) path {
    stroke-opacity: 0.9;
    stroke-width: 2.5;
  }

  .edge.on path {
    stroke-opacity: 0.9;
  }

  .edge.on:not(.used, .down, .added, .removed, .changed) {
    stroke: var(--text-2);
  }

  .edge.off {
    opacity: 0.12;
  }

  text {
    fill: var(--text-2);
    stroke: var(--ground);
    stroke-width: 4px;
    paint-order: stroke;
    font: 500 0.6875rem var(--font);
    font-variant-numeric: tabular-nums;
    text-anchor: middle;
    dominant-baseline: middle;
  }

  .node {
    position: absolute;
    top: 1.75rem;
    left: 0;
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    align-content: center;
    gap: 0 var(--space-2);
    width: var(--node-width);
    height: var(--node-height);
    padding: 0 0.5rem;
    border: 1px solid var(--line);
    border-left: 3px solid var(--line-strong);
    border-radius: var(--radius-m);
    background: var(--surface);
    box-shadow: var(--shadow-1);
    color: var(--text);
  }

  .node:hover {
    text-decoration: none;
  }

  .node.on {
    border-color: var(--accent);
  }

  .node.good {
    border-left-color: var(--good);
  }

  .node.warn {
    border-left-color: var(--warn);
  }

  .node.bad {
    border-left-color: var(--bad);
  }

  .node.added {
    border-color: var(--good);
    background: var(--good-soft);
  }

  .node.removed {
    border-color: var(--bad);
    border-style: dashed;
  }

  .node.removed .name {
    text-decoration: line-through;
  }

  .node.changed {
    border-color: var(--info);
    background: var(--info-soft);
  }

  .name,
  .note {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }

  .name {
    font-weight: 500;
  }

  .sign {
    display: inline-block;
    width: 0.875rem;
  }

  .note,
  .failed,
  .count {
    color: var(--text-2);
    font-size: var(--text-s);
    font-variant-numeric: tabular-nums;
    line-height: 1.3;
  }

  .count,
  .failed {
    text-align: right;
  }

  .warn .note {
    color: var(--warn);
  }

  .bad .note,
  .failed {
    color: var(--bad);
  }

  .name gw-icon {
    margin-right: 0.25rem;
    vertical-align: -0.125em;
  }

  .warn gw-icon {
    color: var(--warn);
  }

  .bad gw-icon {
    color: var(--bad);
  }

  /* One line; screen readers get the rest. */
  .dense :is(.note, .failed) {
    position: absolute;
    width: 1px;
    height: 1px;
    clip-path: inset(50%);
  }

  @media (forced-colors: active) {
    .edge {
      stroke: CanvasText;
    }
  }
`;
