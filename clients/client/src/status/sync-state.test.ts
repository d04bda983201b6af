import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockingCode, deriveSyncState, describeSyncState, type SyncFacts } from './sync-state.ts'

const idle: SyncFacts = {
  session: 'active',
  connected: true,
  connecting: false,
  wasConnected: true,
  downloading: false,
  uploading: false,
  downloadedFraction: undefined,
  hasSynced: true,
  lastSyncedAt: undefined,
  waiting: 0,
  attention: 0,
  notConnectedMs: 0,
  connectingMs: 0,
  downloadingMs: 0,
  blockedBy: undefined,
}

describe('the sync chip says', () => {
  test.each<[string, Partial<SyncFacts>]>([
    ['Up to date', {}],
    ['Up to date', { downloading: true, downloadingMs: 500 }],
    ['Sending 3', { waiting: 3, uploading: true }],
    ['Receiving 41 %', { downloading: true, downloadingMs: 2_500, downloadedFraction: 0.417 }],
    ['Receiving 0 %', { downloading: true, hasSynced: false, downloadedFraction: 0 }],
    ['Receiving', { connected: false, connecting: true, hasSynced: false }],
    ['3 waiting', { connected: false, waiting: 3, notConnectedMs: 1_000 }],
    ['Up to date', { connected: false, notConnectedMs: 1_000 }],
    ['Offline', { connected: false, notConnectedMs: 4_000 }],
    ['Offline · 3 waiting', { connected: false, notConnectedMs: 4_000, waiting: 3 }],
    ['Reconnecting', { connected: false, connecting: true, connectingMs: 4_000, notConnectedMs: 4_000 }],
    [
      'Offline',
      { connected: false, connecting: true, connectingMs: 4_000, notConnectedMs: 4_000, wasConnected: false },
    ],
    ['Confirm to sync', { session: 'second_factor', connected: false }],
    ['Sign in to sync', { session: 'expired', connected: false }],
    ['Sync stopped', { blockedBy: 'PSYNC_S2305', connected: false }],
    ['1 needs attention', { attention: 1, blockedBy: 'PSYNC_S2305', session: 'expired' }],
    ['2 need attention', { attention: 2, waiting: 9 }],
  ])('%s', (words, facts) => {
    expect(describeSyncState(deriveSyncState({ ...idle, ...facts }))).toBe(words)
  })

  test('never that all is well while something is waiting', () => {
    const facts = fc.record({
      connected: fc.boolean(),
      connecting: fc.boolean(),
      uploading: fc.boolean(),
      downloading: fc.boolean(),
      hasSynced: fc.boolean(),
      notConnectedMs: fc.nat(10_000),
      waiting: fc.integer({ min: 1, max: 5 }),
    })
    fc.assert(
      fc.property(facts, (some) => {
        expect(deriveSyncState({ ...idle, ...some }).kind).not.toBe('up_to_date')
      }),
    )
  })
})

test('only refusals that waiting does not heal block', () => {
  expect(blockingCode('HTTP : {"error":{"code":"PSYNC_S2305"}}')).toBe('PSYNC_S2305')
  expect(blockingCode('HTTP : {"error":{"code":"PSYNC_S2302"}}')).toBeUndefined()
  expect(blockingCode(undefined)).toBeUndefined()
})
