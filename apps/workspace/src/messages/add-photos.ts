import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Texts for adding photos to a record. */
export const addPhotosMessages = inLanguages('addPhotosMessages', {
  title: 'Photos',
  none: 'No photos yet.',
  noneDetail: 'Paste a picture, or drop one here.',
  placeDetail: 'Only the picture is kept: where it was taken is not.',
  add: 'Add photos',
  take: 'Take a photo',
  choose: 'Choose photos',
  dropHere: 'Drop to add',
  preparing: (count: number) => icu('Preparing {count, plural, one {# photo} other {# photos}}', { count }),
  added: (count: number) =>
    icu(
      '{count, plural, one {# photo} other {# photos}} added. {count, plural, one {It is} other {They are}} on this device and sent by {count, plural, one {itself} other {themselves}}.',
      { count },
    ),
  notAdded: {
    video: (names: readonly string[]) => `${names.join(', ')}: a video cannot be added here, only pictures.`,
    empty: (names: readonly string[]) => `${names.join(', ')}: there is nothing in the file. Choose it again.`,
    too_large: (names: readonly string[]) => `${names.join(', ')}: too large for this device. Add a smaller copy.`,
    unreadable: (names: readonly string[]) =>
      icu(
        '{names}: this browser cannot read {count, plural, one {it as a picture} other {them as pictures}}. Save as JPEG or PNG, and add again.',
        { names: names.join(', '), count: names.length },
      ),
  },
  full: 'This device is full. Free up space in the Sync centre, then add it again.',
  failed: (reason: string) => `Not added: ${reason}`,
  tooMany: (max: number) => `A record has at most ${formatCount(max)} photos.`,
  mayNotAdd: 'You may see the photos of this record, but not add any.',
})
