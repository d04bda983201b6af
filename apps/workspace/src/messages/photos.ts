import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

export const photoMessages = inLanguages('photoMessages', {
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

  waiting: 'Waiting',
  onDevice: 'On this device, waiting to be sent',
  waitsForWifi: 'On this device, waits for a network that costs nothing',
  paused: 'On this device, paused',
  tryingAgain: 'On this device, tried again soon',
  sending: (percent: number) => `Sending ${percent} %`,
  partSent: (percent: number) => `Sent ${percent} %, continues automatically`,
  refused: (reason: string) => `Not accepted: ${reason}`,
  elsewhere: 'On another device, not uploaded yet',
  notHere: 'Not on this device. Tap to load',
  loading: 'Loading',
  loadsLater: 'Loads when there is a connection',
  unavailable: 'Not on the server. Tap to try again',
  unknownReason: 'the server gave no reason',
  reasons: {
    EntityTooLarge: 'the file is too large',
    InvalidMimeType: 'this kind of file is not taken here',
    AccessDenied: 'you may not add files to this record',
    KeyAlreadyExists: 'another file has its place',
    row_gone: 'its record is gone',
    bytes_missing: 'the browser deleted the file to free space',
  } as Readonly<Record<string, string>>,

  recordWaiting: (count: number) => icu('{count, plural, one {# photo} other {# photos}} not sent yet', { count }),
  recordFilesWaiting: (count: number) => icu('{count, plural, one {# file} other {# files}} not sent yet', { count }),
  recordFilesSending: (count: number) => icu('Sending {count, plural, one {# file} other {# files}}', { count }),
  recordFilesRefused: (count: number, reason: string) =>
    icu('{count, plural, one {# file} other {# files}} not accepted: {reason}', { count, reason }),
  recordSending: (count: number) => icu('Sending {count, plural, one {# photo} other {# photos}}', { count }),
  recordRefused: (count: number, reason: string) =>
    icu('{count, plural, one {# photo} other {# photos}} not accepted: {reason}', { count, reason }),
  percent: (percent: number) => `${percent} %`,
  ofRow: (count: number) => icu('{count, plural, one {# photo} other {# photos}}', { count }),
  more: (count: number) => `+${formatCount(count)}`,
  mayNotAdd: 'You may see the photos of this record, but not add any.',

  photoOf: (place: number, count: number) => `Photo ${place} of ${count}`,
  open: (name: string) => `Open ${name}`,
  unnamed: 'Photo without a caption',
  viewer: 'Photo',
  previous: 'Previous photo',
  next: 'Next photo',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  close: 'Close',
  caption: 'Caption',
  captionChange: 'change of the caption',
  photoDeletion: 'deletion of the photo',
  captionNotStored: 'Not stored: this device is full. Free up space, then leave the field again.',
  captionHint: 'Say what can be seen',
  delete: 'Delete',
  deleteTitle: 'Delete this photo?',
  deleteDetail: 'It is deleted for everyone, on every device.',
  deleteUnsent: 'It has not been sent: this device has the only copy.',
  deleted: 'Photo deleted',
  tryAgain: 'Try again',

  refusedTitle: 'Not accepted',
  saveCopy: 'Save a copy',

  chipSending: (count: number, percent: number) =>
    icu('Sending {count, plural, one {# file} other {# files}} · {percent} %', { count, percent }),
  chipWaiting: (count: number) => icu('{count, plural, one {# file} other {# files}} waiting', { count }),
  chipDetail: (count: number) =>
    icu(
      '{count, plural, one {# file} other {# files}} {count, plural, one {is} other {are}} only on this device. The Sync centre says how far {count, plural, one {it is} other {they are}}.',
      { count },
    ),
})
