import { formatClock, formatMoment } from '../lib/format.ts'
import { icu, inLanguages } from '../lib/texts.ts'

/** Sync state: the chip's text, and a sentence for the menu and the home screen. */
export const chipMessages = inLanguages('chipMessages', {
  upToDate: 'Up to date',
  incomplete: (tables: number) =>
    icu('{tables, plural, one {# table is} other {# tables are}} not complete', { tables }),
  incompleteDetail: 'Rows that you may see are missing on this device. The sync centre says which, and why.',
  sending: (waiting: number) => icu('Sending {waiting, number}', { waiting }),
  sendingDetail: (waiting: number) =>
    icu('{waiting, plural, one {# change is} other {# changes are}} on the way to the server.', { waiting }),
  receiving: (percent: number | undefined) => (percent === undefined ? 'Receiving' : `Receiving ${percent} %`),
  receivingDetail: 'Rows are coming to this device.',
  waiting: (waiting: number) => icu('{waiting, number} waiting', { waiting }),
  offline: (waiting: number) => (waiting > 0 ? icu('Offline · {waiting, number} waiting', { waiting }) : 'Offline'),
  goOn: 'You can go on working.',
  connecting: 'Connecting',
  connectingDetail: 'The connection is being made.',
  asked: 'The server is being asked for your rows.',
  checking: 'Checking…',
  checkingDetail: 'Nothing has come from the server for a while. It is being asked.',
  noAnswer: (since: Date) => `No answer since ${formatMoment(since)}`,
  noAnswerDetail: 'The server does not answer. You can go on working.',
  attention: (changes: number) =>
    icu('{changes, plural, one {# needs attention} other {# need attention}}', { changes }),
  attentionDetail: (changes: number) =>
    icu(
      'The server did not accept {changes, plural, one {a change. It is} other {some changes. They are}} kept here until you decide.',
      { changes },
    ),
  reconnecting: 'Reconnecting',
  reconnectingDetail: 'The connection is being made again.',
  signIn: 'Sign in to sync',
  secondFactor: 'Confirm to sync',
  secondFactorDetail: 'You can go on working. Your second step is asked for before anything is sent or received.',
  blocked: 'Sync stopped',
  blockedDetail: (code: string) => `The server refused to sync (${code}). Tell your operator.`,
  paused: (waiting: number) =>
    waiting === 0 ? 'Sync paused' : icu('Sync paused · {waiting, number} waiting', { waiting }),
  pausedDetail: 'You paused sync on this device.',
  notSent: (waiting: number) =>
    icu('{waiting, plural, one {# change on this device is} other {# changes on this device are}} not sent yet.', {
      waiting,
    }),
  lastChecked: (at: Date | undefined) => (at === undefined ? 'Not checked yet.' : `Last checked ${formatClock(at)}.`),
})
