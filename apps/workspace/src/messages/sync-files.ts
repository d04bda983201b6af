import { formatBytes } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Texts about files that were not sent yet, and the space that files take. */
export const syncFileMessages = inLanguages('syncFileMessages', {
  tabFiles: 'Files',
  filesEmpty: 'All files have been sent',
  filesEmptyDetail: 'A photo or video you take appears here until the server has it.',
  filesLead: (count: number, bytes: number) =>
    icu(
      '{count, plural, one {# file} other {# files}} ({bytes}) {count, plural, one {is} other {are}} only on this device.',
      { count, bytes: formatBytes(bytes) },
    ),
  waitingTitle: 'On the way',
  pausedNote: 'Files are paused on this device.',
  offlineNote: 'You are offline. They are sent automatically once you are back online.',
  meteredNote: 'This network may cost. They wait for another one.',
  signInNote: 'They are sent when you have signed in again.',
  disconnectedNote: 'Sync is paused. They are sent when you resume it.',
  sendAnyway: 'Send anyway',
  pauseFiles: 'Pause files',
  resumeFiles: 'Resume files',
  pauseOne: 'Pause',
  resumeOne: 'Resume',
  discard: 'Discard',
  discardTitle: 'Discard this file?',
  discardDetail: 'It is deleted from its record, and is nowhere else. Save a copy first if you may need it.',
  spaceTitle: 'Space',
  cached: 'Files of the server kept here',
  onlyHere: 'Only on this device',
  limit: 'At most kept here',
  limitDetail:
    'Photos of your favourites download automatically and are removed last. Of the others, those that you opened longest ago are removed first. Unsent photos always stay.',
  freeUp: 'Free up space',
  freeUpDetail: 'Deletes files here that the server has as well. They load again when you open them.',
  freed: (bytes: number) => `${formatBytes(bytes)} freed`,
  attentionTitle: (count: number) =>
    icu('{count, plural, one {# file} other {# files}} {count, plural, one {was} other {were}} not accepted', {
      count,
    }),
  attentionDetail: 'They are kept on this device until you decide.',
  decide: 'Show the files',
  signOutFiles: (count: number) =>
    icu(
      '{count, plural, one {# file} other {# files}} on this device {count, plural, one {has} other {have}} not been sent yet and {count, plural, one {is} other {are}} nowhere else.',
      { count },
    ),
})
