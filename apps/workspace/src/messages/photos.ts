import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

export const photoMessages = inLanguages('photoMessages', {
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
  photoOf: (place: number, count: number) => `Photo ${place} of ${count}`,
  open: (name: string) => `Open ${name}`,
  unnamed: 'Photo without a caption',
  captionChange: 'change of the caption',
  photoDeletion: 'deletion of the photo',
  deleteUnsent: 'It has not been sent: this device has the only copy.',
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
