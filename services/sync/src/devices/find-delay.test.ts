import { expect, test } from 'vitest'
import type { SessionState } from '../stream/session-state.ts'
import { findDelay, type DelayFacts } from './find-delay.ts'

const NOW = Date.parse('2026-11-30T12:00:00Z')

const COMPLETE: SessionState = {
  phase: 'resting',
  step: 'send checkpoint',
  workingSinceMs: NOW - 60_000,
  keys: 'none',
  completed: { opId: 7, atMs: NOW - 60_000 },
  isPending: false,
  awaitsOwnChanges: false,
  buckets: 2,
  operations: 1_000,
  operationsLeft: 0,
}

function facts(changed: Partial<DelayFacts> = {}): DelayFacts {
  return {
    nowMs: NOW,
    session: COMPLETE,
    waitsSinceMs: undefined,
    ended: undefined,
    incomplete: [],
    upload: undefined,
    sync: { problem: undefined, isReady: true, hasPlan: true, lagSeconds: 0, filling: undefined },
    ...changed,
  }
}

const working = (changed: Partial<SessionState>): SessionState => ({ ...COMPLETE, phase: 'working', ...changed })

test('a device that was sent everything is not behind', () => {
  expect(findDelay(facts())).toEqual({ causes: [], seconds: 0 })
})

test('work that just began is no delay', () => {
  expect(findDelay(facts({ session: working({ workingSinceMs: NOW - 500 }) })).causes).toEqual([])
})

test.each<[string, string, Partial<DelayFacts>]>([
  [
    'not_connected',
    'It has not been connected for 3 hours: its access token expired, and it has not come back with a new one.',
    { session: undefined, ended: { atMs: NOW - 3 * 3_600_000, reason: 'PSYNC_S2103' } },
  ],
  [
    'sync_not_ready',
    'The server does not serve devices: the slot is lost',
    { sync: { ...facts().sync, problem: 'the slot is lost' } },
  ],
  [
    'policies_compiled',
    'Its policies are being compiled after a change of the schema.',
    { sync: { ...facts().sync, hasPlan: false } },
  ],
  [
    'not_reading',
    'The device does not read: the server has waited 30 seconds for its connection to take more data.',
    { session: working({}), waitsSinceMs: NOW - 30_000 },
  ],
  [
    'policy_evaluated',
    'Its policies have been evaluated for 60 seconds.',
    { session: working({ keys: 'evaluating' }) },
  ],
  [
    'slot_behind',
    'It has waited 60 seconds for the change reader to reach what its policies saw.',
    { session: working({ keys: 'waiting for the log' }) },
  ],
  [
    'downloading',
    'It has been downloading for 60 seconds: 400 of 1,000 operations are in buckets that are not complete.',
    { session: working({ operationsLeft: 400 }) },
  ],
  [
    'table_being_read',
    'Rows of "orders" are still being read, 12,000 so far.',
    {
      incomplete: [{ table: 'orders', reason: 'being_read' }],
      sync: { ...facts().sync, filling: { table: 'public.orders', rows: 12_000 } },
    },
  ],
  [
    'upload_blocked',
    'Its upload is blocked by: A statement takes too long (PSYNC_X, 4 times in a row, last 10 seconds ago). While changes wait, a device does not show newer rows.',
    {
      upload: {
        atMs: NOW - 10_000,
        requestId: 'r',
        code: 'PSYNC_X',
        message: 'A statement takes too long',
        times: 4,
      },
    },
  ],
])('%s: %s', (code, text, changed) => {
  expect(findDelay(facts(changed)).causes[0]).toMatchObject({ code, text })
})

test('the lag of the reader counts for every device', () => {
  const delay = findDelay(facts({ sync: { ...facts().sync, lagSeconds: 45 } }))
  expect(delay).toMatchObject({ seconds: 45, causes: [{ code: 'slot_behind' }] })
})
