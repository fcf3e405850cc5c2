// Registers the elements of Web Awesome that the UI uses, with icons from our sprite instead of another server. Only the files of this
// folder use them.

import sprite from '#icons?url';
import { registerIconLibrary } from '@awesome.me/webawesome/dist/components/icon/library.js';
import '@awesome.me/webawesome/dist/components/dialog/dialog.js';
import '@awesome.me/webawesome/dist/components/drawer/drawer.js';
import '@awesome.me/webawesome/dist/components/dropdown/dropdown.js';
import '@awesome.me/webawesome/dist/components/dropdown-item/dropdown-item.js';
import '@awesome.me/webawesome/dist/components/icon/icon.js';

import { icons } from '../icons.ts';
import type { IconName } from '../icons.ts';

/** The icon names that Web Awesome uses internally. */
const ownNames: Readonly<Record<string, IconName>> = { xmark: 'x' };

const isKnown = (name: string): boolean => icons.some((icon) => icon === name);

for (const library of ['default', 'system']) {
  registerIconLibrary(library, {
    spriteSheet: true,
    resolver: (name) => {
      const known = ownNames[name] ?? name;
      return `${sprite}#${isKnown(known) ? known : 'x'}`;
    },
  });
}
