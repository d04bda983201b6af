import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Separate from the photo texts, which the first grid needs. */
export const videoMessages = inLanguages('videoMessages', {
  title: 'Photos and videos',
  none: 'No photos or videos yet.',
  noneDetail: 'Paste a picture, or drop a file here.',
  placeDetail: 'Of a photo only the picture is kept: where it was taken is not.',
  detail: (bytesMax: number) =>
    `A video of at most ${formatCount(bytesMax / 1_000_000)} MB is sent as it is. Cameras may write into it where it was taken.`,
  add: 'Add photos or videos',
  take: 'Take a video',
  choose: 'Choose files',
  preparing: (count: number) => icu('Preparing {count, plural, one {# file} other {# files}}', { count }),
  added: (count: number) =>
    icu(
      '{count, plural, one {# file} other {# files}} added. {count, plural, one {It is} other {They are}} on this device and sent by {count, plural, one {itself} other {themselves}}.',
      { count },
    ),
  tooLarge: (names: readonly string[], bytesMax: number) =>
    `${names.join(', ')}: too large. A video has at most ${formatCount(bytesMax / 1_000_000)} MB, so that it gets over a slow network: film a shorter one, or in a lower quality.`,
  wrongKind: (names: readonly string[], kinds: string) =>
    `${names.join(', ')}: this kind of video is not taken here. Save it as ${kinds}, and add it again.`,

  videoOf: (place: number, count: number) => `Video ${place} of ${count}`,
  viewer: 'Video',
  length: (text: string) => `Length ${text}`,
  load: (bytes: string) => `Load the video (${bytes})`,
  loadUnknown: 'Load the video',
  notHere: 'The video is not on this device.',
  unplayable: 'This browser cannot play the video.',
  unplayableDetail: 'Save a copy and open it with another app.',
  deleteTitle: 'Delete this video?',
  deleted: 'Video deleted',
})
