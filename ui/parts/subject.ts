// Links the record of a change to its screen.

import { html } from 'lit';

import { placeOfStream, subjectWords } from '../lib/history/history.ts';
import { screenNamed } from '../screens.ts';
import { linkTo } from '../state/location.ts';

type Subject = Readonly<{ stream: string; name: string | null }>;

export function subjectLink(subject: Subject) {
  const place = placeOfStream(subject.stream);
  const text = subjectWords(subject);
  return place === null || screenNamed(place.screen) === undefined
    ? text
    : html`<a class="roomy" href=${linkTo(place)} title=${subject.stream.replace('-', ' ')}
        >${text}</a
      >`;
}
