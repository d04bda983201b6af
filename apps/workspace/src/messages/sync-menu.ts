import { formatCount } from '../lib/format.ts'
import { inLanguages } from '../lib/texts.ts'

/** Sync texts outside the sync centre, which loads its own. */
export const syncMenuMessages = inLanguages('syncMenuMessages', {
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
  tabAttention: 'Needs attention',
  decide: 'Decide',
  firstSync: 'First sync',
  firstSyncRows: (done: number, total: number) => `${formatCount(done)} of ${formatCount(total)} rows`,
  firstSyncStarting: 'Looking for your records',
  receiving: (percent: number | undefined) => (percent === undefined ? 'Receiving' : `Receiving ${percent} %`),
  noRowsYet: 'No rows on this device yet',
  firstRowsOffline: 'They come when there is a connection.',
  firstRowsPaused: 'You paused sync on this device. They come when you resume it.',
  firstRowsSignIn: 'They come when you have signed in again.',
  firstRowsSecondFactor: 'They come after your second step.',
})
