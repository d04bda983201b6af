import { formatBytes, formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Texts for those who publish a form. */
export const publishMessages = inLanguages('publishMessages', {
  open: 'Share form',
  title: 'Share this form',
  lead: 'Anyone with the link can fill it in, without an account. Each answer becomes a record.',
  name: 'Title',
  nameMissing: 'Enter a title',
  intro: 'Introduction',
  thanks: 'Thank-you message',
  thanksDefault: 'Thank you. Your answer was sent.',
  leftOut: (labels: string) => `Not asked, because visitors cannot see other records or sign: ${labels}`,
  none: 'This form has no question that visitors can answer.',
  publish: 'Create link',
  update: 'Update form',
  updated: 'The public form is up to date',
  close: 'Stop sharing',
  closed: 'The link no longer takes answers',
  closedNote: 'This form is closed. Update it to open it again.',
  answers: (count: number) => icu('{count, plural, =0 {No answers yet} one {# answer} other {# answers}}', { count }),
  captcha: 'Check against bots',
  captchaOf: (kind: string) =>
    kind === 'work'
      ? 'The visitor’s device computes for a few seconds before it sends. No other company is involved.'
      : `Visitors pass a check by ${kind === 'hcaptcha' ? 'hCaptcha' : 'Cloudflare Turnstile'} before they send.`,
  filesMax: 'Files per question',
  filesMegabytes: 'MB per file',
  filesPhotos: 'Photos only',
  done: 'Done',
})

/** Why a form could not be published, by the database's hint. */
export const publishRefusals = inLanguages('publishRefusals', {
  'public_form.definition': 'A public form has a title of up to 120 characters and 1 to 60 questions.',
  'public_form.field': 'The form asks for a field that visitors cannot fill in. Reload the page and try again.',
  'public_form.files': 'A question takes up to 10 files of up to 25 MB.',
  'public_form.missing': 'Every record needs a value that this form does not ask for. Add the field to the form.',
  'public_form.table': 'Only tables that were created in this workspace can have public forms.',
  'public_form.view': 'This form no longer exists.',
  'public_form.limit': 'This workspace has 50 public forms. Stop sharing one first.',
  'public_form.busy': 'The table is in use. Try again.',
})

/** Texts for visitors. */
export const publicFormMessages = inLanguages('publicFormMessages', {
  loading: 'Opening the form',
  gone: 'This form does not exist',
  goneDetail: 'Ask whoever sent you the link for a new one.',
  closed: 'This form is closed',
  closedDetail: 'It takes no more answers.',
  failed: 'The form could not be opened',
  failedDetail: 'Connect to the internet once to open it. After that it works offline too.',
  tryAgain: 'Try again',
  durationExample: 'Hours and minutes, such as 1:30',
  locationExample: 'Latitude and longitude, such as 52.52, 13.405',
  required: 'required',
  missing: 'Fill in this field',
  number: 'Enter a number',
  whole: 'Enter a whole number',
  send: 'Send',
  sent: 'Sent',
  stored: 'Saved on this device',
  storedDetail: 'It will be sent when you are online and this page is open.',
  storedUnchecked: 'It will be sent when you are online, this page is open, and the check against bots is passed.',
  check: 'One more step: confirm that you are human',
  insecure: 'This form can only be sent over https. Open it with a link that begins with https.',
  fileMissing: 'Add a file',
  fileRules: ({ max, megabytes, kinds }: { max: number; megabytes: number; kinds: 'any' | 'photos' }) =>
    kinds === 'photos'
      ? icu('{max, plural, one {One photo} other {Up to # photos}}.', { max })
      : icu('{max, plural, one {One file} other {Up to # files}} of up to {megabytes} MB.', { max, megabytes }),
  fileTooLarge: (name: string, megabytes: number) => `${name} is larger than ${megabytes} MB.`,
  fileEmpty: (name: string) => `${name} is empty.`,
  fileNoPhoto: (name: string) => `${name} is no photo that this browser can read.`,
  filesTooMany: (max: number) => icu('{max, plural, one {Only one file fits.} other {Only # files fit.}}', { max }),
  fileLost: (name: string) => `This browser no longer has ${name}. Add it again.`,
  sendingFiles: 'Sending files',
  bytesSent: (sent: number, total: number) => `${formatBytes(sent)} of ${formatBytes(total)}`,
  waiting: (count: number) =>
    icu('{count, plural, one {# answer is} other {# answers are}} saved on this device and not sent yet.', { count }),
  waitingLong: (count: number) => `${formatCount(count)} answers wait already. Connect to the internet to send them.`,
  refused: 'An answer was not accepted',
  discard: 'Discard',
  edit: 'Edit',
  tooMany: 'This form was sent too often. It will be tried again later.',
  another: 'Send another answer',
  notStored: 'This browser cannot store the answer. Connect to the internet and send it again.',
})
