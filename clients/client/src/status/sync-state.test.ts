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
  incomplete: 0,
  notConnectedMs: 0,
  connectingMs: 0,
  downloadingMs: 0,
  blockedBy: undefined,
  isWanted: true,
  hasFailed: false,
  isCutOff: false,
  link: { kind: 'alive' },
}

const SILENT = { kind: 'silent', sinceMs: new Date(2026, 0, 1, 14, 2).getTime() } as const

describe('the sync chip says', () => {
  test.each<[string, Partial<SyncFacts>]>([
    ['Up to date', {}],
    ['Up to date', { downloading: true, downloadingMs: 500 }],
    ['1 table is not complete', { incomplete: 1 }],
    ['2 tables are not complete', { incomplete: 2, connected: false, notConnectedMs: 1_000 }],
    ['Offline', { incomplete: 1, connected: false, notConnectedMs: 4_000 }],
    ['Sending 3', { waiting: 3, uploading: true, incomplete: 1 }],
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
      'Connecting',
      { connected: false, connecting: true, connectingMs: 4_000, notConnectedMs: 4_000, wasConnected: false },
    ],
    ['Connecting', { connected: false, notConnectedMs: 9_000, wasConnected: false, waiting: 1 }],
    ['Offline', { connected: false, notConnectedMs: 4_000, wasConnected: false, hasFailed: true }],
    ['Offline', { connected: false, notConnectedMs: 4_000, wasConnected: false, isWanted: false }],
    ['Offline', { connected: false, notConnectedMs: 4_000, isCutOff: true, link: SILENT }],
    ['Offline · 2 waiting', { isCutOff: true, link: SILENT, waiting: 2 }],
    ['Offline · 2 waiting', { connected: false, connecting: true, isCutOff: true, link: SILENT, waiting: 2 }],
    ['Checking…', { link: { kind: 'checking' } }],
    ['Checking…', { link: { kind: 'checking' }, waiting: 1, uploading: true }],
    [
      `No answer since ${new Date(SILENT.sinceMs).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}`,
      { link: SILENT, waiting: 1 },
    ],
    ['1 needs attention', { attention: 1, link: SILENT }],
    ['Confirm to sync', { session: 'second_factor', connected: false }],
    ['Sign in to sync', { session: 'expired', connected: false }],
    ['Sync stopped', { blockedBy: 'PSYNC_S2305', connected: false }],
    ['1 needs attention', { attention: 1, blockedBy: 'PSYNC_S2305', session: 'expired' }],
    ['2 need attention', { attention: 2, waiting: 9 }],
  ])('%s', (words, facts) => {
    expect(describeSyncState(deriveSyncState({ ...idle, ...facts }))).toBe(words)
  })

  test('never that all is well, or that something is sent, while the server does not answer', () => {
    const facts = fc.record({
      connected: fc.boolean(),
      connecting: fc.boolean(),
      uploading: fc.boolean(),
      downloading: fc.boolean(),
      waiting: fc.nat(5),
      link: fc.constantFrom({ kind: 'checking' } as const, SILENT),
    })
    fc.assert(
      fc.property(facts, (some) => {
        expect(['checking', 'no_answer']).toContain(deriveSyncState({ ...idle, ...some }).kind)
      }),
    )
  })

  test('never that all is well while rows are missing', () => {
    const facts = fc.record({ connected: fc.boolean(), hasSynced: fc.boolean(), notConnectedMs: fc.nat(10_000) })
    fc.assert(
      fc.property(facts, (some) => {
        expect(deriveSyncState({ ...idle, ...some, incomplete: 1 }).kind).not.toBe('up_to_date')
      }),
    )
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
