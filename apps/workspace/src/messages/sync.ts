import { formatCount, plural } from '../lib/format.ts'

export const syncMessages = {
  menu: 'Sync',
  centre: 'Sync centre',
  lastContact: 'Last checked with the server',
  never: 'not yet',
  notSent: 'Not sent yet',
  needAttention: 'Need attention',
  rowsHere: 'Rows on this device',
  pause: 'Pause sync',
  resume: 'Resume sync',
  signIn: 'Sign in',
  confirm: 'Confirm that it is you',

  tabOutbox: 'Outbox',
  tabAttention: 'Needs attention',
  tabDevice: 'This device',

  outboxEmpty: 'Everything has been sent',
  outboxEmptyDetail: 'A change you make appears here until the server has judged it.',
  outboxLead: (changes: number, transactions: number) =>
    `${plural(changes, 'change')} in ${plural(transactions, 'step')} ${changes === 1 ? 'is' : 'are'} on this device and not sent yet. The server judges each step as a whole, in this order.`,
  outboxPaused: 'Sync is paused. Resume it to send these changes.',
  outboxOffline: 'There is no connection. They are sent by themselves when it is back.',
  uploadFailed: 'The last attempt to send did not reach the server',
  uploadFailedDetail: 'It is repeated by itself.',
  created: (noun: string) => `Create ${noun}`,
  changed: (noun: string, fields: string) => `Change ${fields} of ${noun}`,
  deleted: (noun: string) => `Delete ${noun}`,
  fields: (names: readonly string[]) =>
    names.length <= 3
      ? joinWords(names)
      : `${names.slice(0, 2).join(', ')} and ${formatCount(names.length - 2)} more fields`,

  attentionEmpty: 'Nothing needs your attention',
  attentionEmptyDetail: 'When the server does not accept a change, it is kept here with the reason until you decide.',
  notAccepted: 'your change was not accepted',
  serverSaid: 'The server said:',
  plainWords: 'In plain words:',
  field: 'Field',
  yoursAt: (clock: string) => `Yours (${clock})`,
  onServer: 'On the server now',
  emptyValue: '(empty)',
  editAndSend: 'Edit and send again',
  sendAgain: 'Send again',
  discard: 'Discard',
  cancel: 'Cancel',
  openRecord: 'Open record',
  decide: 'Decide',
  back: 'All that need attention',
  discardTitle: 'Discard this change?',
  discardDetail: 'Your values are removed from this device. The record stays as it is on the server.',
  discarded: 'Change discarded',
  sentAgain: 'Sent again. The server decides when it is reached.',
  heldWith: (count: number) =>
    `${plural(count, 'later change')} to the same record ${count === 1 ? 'was' : 'were'} held with it`,
  details: 'Details',
  copy: 'Copy',
  copied: 'Copied',
  itemTitle: 'Not accepted by the server',
  cardLabel: (noun: string, title: string) => `Not accepted: ${noun} ${title}`,
  recordWords: (noun: string, title: string) => `${noun.charAt(0).toUpperCase()}${noun.slice(1)} “${title}” —`,
  otherChanges: (count: number) =>
    `${plural(count, 'other change')} of the same step ${count === 1 ? 'is' : 'are'} sent or discarded with it`,
  yoursIsDelete: (noun: string) => `Your change was to delete this ${noun}.`,
  notThere: '(not there, or not visible to you)',
  editTitle: (noun: string, title: string) => `Edit ${noun} “${title}”`,
  editSend: 'Send again',
  discardHeld: (count: number) =>
    `${plural(count, 'later change')} held with it ${count === 1 ? 'is' : 'are'} discarded as well.`,
  recordGone: 'This record is no longer on this device',
  recordGoneDetail: 'Somebody deleted it, or you may no longer see it. Copy what you need, then discard the change.',
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
  persistent: 'Yes, the browser does not delete it by itself',
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
  resyncBlocked: (count: number) => `${plural(count, 'change')} must be sent or discarded first.`,
  resyncStarted: 'Fetching everything again',
  wipeTitle: 'Sign out and remove everything from this device',
  wipeDetail: 'For a device that others use. Rows, unsent changes and settings of this account are removed.',
  wipe: 'Sign out and remove',

  firstSync: 'First sync',
  firstSyncRows: (done: number, total: number) => `${formatCount(done)} of ${formatCount(total)} rows`,
  firstSyncStarting: 'Asking the server which rows are yours',
  firstSyncOffline: 'This device has no rows yet. They come when there is a connection.',

  signOutTitle: 'Sign out',
  signOutClean: 'Everything on this device has been sent.',
  signOutUnsent: (count: number) =>
    `${plural(count, 'change')} on this device ${count === 1 ? 'has' : 'have'} not been sent yet.`,
  signOutAttention: (count: number) =>
    `${plural(count, 'refused change')} ${count === 1 ? 'waits' : 'wait'} for your decision.`,
  signOutSendNow: 'Send now, then sign out',
  signOutSending: (count: number) => `Sending ${formatCount(count)}`,
  signOutKeep: 'Keep on this device and sign out',
  signOutKeepDetail: 'What you keep is sent the next time you sign in here.',
  signOutDiscard: 'Discard and sign out',
  signOutGuest: 'You are a guest',
  signOutGuestDetail:
    'Nobody can sign in to this account again, you neither. Keep it with an e-mail or a provider first.',
  signOutGuestKeep: 'Keep your account',
  signOutSimple: 'Sign out',
  signOutShared: 'This is a shared device: remove my rows as well',
  signOutNotSent: 'They could not be sent just now.',
} as const

function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? ''
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`
}
