import { formatCount } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

export const syncMessages = inLanguages('syncMessages', {
  tabOutbox: 'Waiting to send',
  tabDevice: 'This device',

  outboxEmpty: 'Everything has been sent',
  outboxEmptyDetail: 'A change you make appears here until the server has accepted it.',
  outboxLead: (changes: number) =>
    icu(
      '{changes, plural, one {# change} other {# changes}} {changes, plural, one {is} other {are}} on this device and not sent yet. What was done together is accepted or refused together, in this order.',
      { changes },
    ),
  outboxPaused: 'Sync is paused. Resume it to send these changes.',
  outboxOffline: 'You are offline. They are sent automatically once you are back online.',
  uploadFailed: 'The last attempt to send did not reach the server',
  uploadFailedDetail: 'Holdfast tries again automatically.',
  created: (noun: string) => `Create ${noun}`,
  changed: (noun: string, fields: string) => `Change ${fields} of ${noun}`,
  deleted: (noun: string) => `Delete ${noun}`,
  fields: (names: readonly string[]) =>
    names.length <= 3
      ? joinWords(names)
      : `${names.slice(0, 2).join(', ')} and ${formatCount(names.length - 2)} more fields`,

  attentionEmpty: 'Nothing needs your attention',
  attentionEmptyDetail: 'When the server does not accept a change, it is kept here with the reason until you decide.',
  incompleteTitle: 'is not complete on this device',
  incompleteLabel: (table: string) => `Not complete on this device: ${table}`,
  notAccepted: 'your change was not accepted',
  serverSaid: 'The server said:',
  plainWords: 'What happened:',
  field: 'Field',
  yoursAt: (clock: string) => `Yours (${clock})`,
  onServer: 'On the server now',
  emptyValue: '(empty)',
  editAndSend: 'Edit and send again',
  sendAgain: 'Send again',
  discard: 'Discard',
  keepMine: 'Keep mine',
  keepTheirs: 'Keep theirs',
  keepBoth: 'Keep both',
  keptBoth: 'Sent with both texts',
  cancel: 'Cancel',
  openRecord: 'Open record',
  back: 'All that need attention',
  discardTitle: 'Discard this change?',
  discardDetail: 'Your values are removed from this device. The record stays as it is on the server.',
  discarded: 'Change discarded',
  sentAgain: 'Sent again. The server answers when it is reached.',
  heldTitle: (count: number) =>
    icu('{count, plural, one {# later change waits} other {# later changes wait}} for your decision', { count }),
  sentPartly: 'Sent without it. The server answers when it is reached.',
  dropFields: (names: readonly string[]) => `Send without ${joinWords(names)}`,
  exportAsFile: 'Export as a file',
  exportFile: (at: Date) => `not-accepted-${at.toISOString().slice(0, 10)}.csv`,
  exportHeader: ['Time', 'State', 'Reason', 'Change', 'Table', 'Record id', 'Record', 'Field', 'Your value'],
  exportRefused: 'Not accepted',
  exportHeld: 'Waits for the one before it',
  exportKinds: { PUT: 'Create', PATCH: 'Change', DELETE: 'Delete' },
  moreValues: (count: number) => icu('and {count, plural, one {# more field} other {# more fields}}', { count }),

  groupTitle: (count: number, many: string) => `${formatCount(count)} changes of ${many} —`,
  groupNotAccepted: 'not accepted, all for the same reason',
  groupLabel: (count: number, many: string) => `Not accepted: ${formatCount(count)} changes of ${many}`,
  decideAlone: 'Decide alone',
  decideOne: (title: string) => `Decide ${title} alone`,
  editMany: (count: number) => `Edit and send all ${formatCount(count)}`,
  editManyTitle: (count: number) => `Edit ${formatCount(count)} changes`,
  editManyLead:
    'A value that you enter is sent for every record. A field that you leave as it is keeps its own value in each.',
  severalValues: 'Each keeps its own value',
  sendMany: (count: number) => `Send all ${formatCount(count)} again`,
  sentMany: (count: number) =>
    icu('{count, plural, one {# change} other {# changes}} sent again. The server answers when it is reached.', {
      count,
    }),
  keepMineMany: (count: number) => `Keep mine in all ${formatCount(count)}`,
  keepMineSome: (count: number) => `Keep mine in ${formatCount(count)}`,
  notKeepable: (count: number) =>
    icu(
      'Yours cannot be kept in {count, plural, one {# record} other {# records}}: the rules no longer let you change {count, plural, one {it} other {them}} so.',
      { count },
    ),
  keepTheirsMany: (count: number) => `Keep theirs in all ${formatCount(count)}`,
  discardMany: (count: number) => `Discard all ${formatCount(count)}`,
  discardManyTitle: (count: number) => `Discard ${formatCount(count)} changes?`,
  discardManyDetail: 'Your values are removed from this device. The records stay as they are on the server.',
  discardedMany: (count: number) => icu('{count, plural, one {# change} other {# changes}} discarded', { count }),
  details: 'Details',
  copy: 'Copy',
  copied: 'Copied',
  itemTitle: 'Not accepted by the server',
  cardLabel: (noun: string, title: string) => `Not accepted: ${noun} ${title}`,
  recordWords: (noun: string, title: string) => `${noun.charAt(0).toUpperCase()}${noun.slice(1)} “${title}” —`,
  otherChanges: (count: number) =>
    icu(
      '{count, plural, one {# other change} other {# other changes}} that belong to it {count, plural, one {is} other {are}} sent or discarded with it',
      { count },
    ),
  yoursIsDelete: (noun: string) => `Your change was to delete this ${noun}.`,
  notThere: '(not there, or not visible to you)',
  editTitle: (noun: string, title: string) => `Edit ${noun} “${title}”`,
  editSend: 'Send again',
  editHeld: (record: string) => `${record}, which waits`,
  otherFields: (count: number) =>
    icu('{count, plural, one {# other field} other {# other fields}} of the record', { count }),
  leftOut: 'Not sent. It stays as it is on the server.',
  sendThis: 'Send this field',
  sendField: (field: string) => `Send ${field}`,
  discardNeeding: (count: number) =>
    icu(
      '{count, plural, one {# later change needs the record that is not created then, and is discarded as well.} other {# later changes need the record that is not created then, and are discarded as well.}}',
      { count },
    ),
  discardFree: (count: number) =>
    icu(
      '{count, plural, one {# later change that waits for it is sent.} other {# later changes that wait for it are sent.}}',
      { count },
    ),
  discardWithHeld: 'Discard those as well',
  recordsGone: (count: number) => `${formatCount(count)} of these records are no longer on this device`,
  recordGone: 'This record is no longer on this device',
  recordGoneDetail:
    'Another person deleted it, or you may no longer see it. Copy what you need, then discard the change.',
  showMore: (count: number) => `Show more (${formatCount(count)})`,
  gone: 'This item has been decided already',
  goneDetail: 'It may have been decided in another tab.',

  storageTitle: 'Storage',
  storageIn: 'Kept in',
  storageKinds: {
    opfs: 'Private files of this browser (OPFS)',
    indexeddb: 'IndexedDB of this browser',
    memory: 'Memory only: lost when the tab closes',
  },
  used: 'Used by this site',
  usedOf: (used: string, quota: string) => `${used} of ${quota} allowed`,
  persistence: 'Protected from clean-up',
  persistent: 'Yes, the browser keeps it',
  notPersistent: 'No, the browser may delete it when space is short',
  askPersist: 'Protect it',
  persistRefused: 'The browser refused. Installing the app or adding it to bookmarks helps.',
  lastSync: 'Last checked with the server',
  rows: 'Rows',
  changesWaiting: 'Changes not sent yet',
  device: 'Device id',
  engine: 'Sync engine',
  resyncTitle: 'Fetch everything again',
  resyncDetail: 'Removes the rows from this device and fetches them again. Nothing on the server changes.',
  resync: 'Re-sync',
  resyncBlocked: (count: number) =>
    icu('{count, plural, one {# change} other {# changes}} must be sent or discarded first.', { count }),
  resyncStarted: 'Fetching everything again',
  wipeTitle: 'Sign out and remove everything from this device',
  wipeDetail: 'For a device that others use. Rows, unsent changes and settings of this account are removed.',
  wipe: 'Sign out and remove',

  signOutTitle: 'Sign out',
  signOutClean: 'All your work is saved on the server. Your data stays on this device, locked until you sign in again.',
  signOutCleanRemoved: 'All your work is saved on the server. Your data is removed from this device.',
  signOutCannotLock: 'This device can’t lock your data, so signing out removes it.',
  signOutUnsent: (count: number) =>
    icu(
      '{count, plural, one {# change} other {# changes}} on this device {count, plural, one {has} other {have}} not been sent yet.',
      { count },
    ),
  signOutAttention: (count: number) =>
    icu(
      '{count, plural, one {# refused change} other {# refused changes}} {count, plural, one {waits} other {wait}} for your decision.',
      { count },
    ),
  signOutDrafts: (count: number) =>
    icu(
      '{count, plural, one {# draft is only on this device and is} other {# drafts are only on this device and are}} deleted if you remove your data or delete unsent work.',
      { count },
    ),
  signOutSendNow: 'Send now, then sign out',
  signOutSending: (count: number) => `Sending ${formatCount(count)}`,
  signOutKeep: 'Lock and sign out',
  signOutKeepDetail:
    'Lock encrypts your data on this device. Sign in or enter your password to open it. Your changes are sent the next time you sign in here.',
  signOutRemoveDetail: 'Unsent work is deleted with your data. Send it first, or confirm that you want to lose it.',
  signOutDiscard: 'Delete unsent work and sign out',
  loseTitle: 'Delete your unsent work?',
  lose: 'Delete and sign out',
  loseBack: 'Back',
  lostForGood: 'This is only on this device and will be lost for good:',
  lostChanges: (count: number) =>
    icu('{count, plural, one {# change that was not sent} other {# changes that were not sent}}', { count }),
  lostRefused: (count: number) =>
    icu('{count, plural, one {# refused change} other {# refused changes}} without a decision', { count }),
  lostFiles: (count: number) =>
    icu('{count, plural, one {# file that was not sent} other {# files that were not sent}}', { count }),
  lostDrafts: (count: number) => icu('{count, plural, one {# draft} other {# drafts}}', { count }),
  signOutGuest: 'You are a guest',
  signOutGuestDetail:
    'This account can never be signed in to again, not even by you, so your rows are removed from this device. To keep the account, add an e-mail address or a provider first.',
  signOutGuestKeep: 'Keep your account',
  signOutSimple: 'Sign out',
  signOutShared: 'Remove my data from this device',
  signOutNotSent: 'They could not be sent just now.',
})

function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? ''
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`
}
