import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lasted, newStatusTrack, type StatusTrack, type TrackedStatus, trackStatus } from './status-track.ts'

const offline: TrackedStatus = { connected: false, connecting: false, isDownloading: false, hasError: false }
const online: TrackedStatus = { ...offline, connected: true }
const play = (...looks: readonly (readonly [TrackedStatus, number])[]): StatusTrack =>
  looks.reduce((track, [status, atMs]) => trackStatus(track, status, atMs), newStatusTrack(0))

describe('the status of the connection over time', () => {
  test('knows for how long something has been so, and begins again after it was not', () => {
    const connecting = { ...offline, connecting: true }
    const track = play([connecting, 1_000], [connecting, 3_000])
    expect([lasted(track.connectingSince, 5_000), lasted(track.notConnectedSince, 5_000)]).toEqual([4_000, 5_000])
    const again = play([connecting, 1_000], [offline, 2_000], [connecting, 3_000])
    expect(lasted(again.connectingSince, 5_000)).toBe(2_000)
    expect(lasted(play([online, 1_000]).notConnectedSince, 5_000)).toBe(0)
  })

  test('remembers that there was a connection', () => {
    expect(play([offline, 1], [{ ...offline, connecting: true }, 2]).wasConnected).toBe(false)
    expect(play([online, 1], [offline, 2]).wasConnected).toBe(true)
  })

  test('remembers a failed attempt until the next connection', () => {
    const failed = play([{ ...offline, hasError: true }, 1], [offline, 2])
    expect(failed.hasFailed).toBe(true)
    expect(trackStatus(failed, online, 3).hasFailed).toBe(false)
    // The SDK keeps the last error while connected.
    expect(trackStatus(failed, { ...online, hasError: true }, 3).hasFailed).toBe(false)
  })

  test('never counts below zero, also when the clock of the device is set back', () => {
    const look = fc.tuple(
      fc.record({
        connected: fc.boolean(),
        connecting: fc.boolean(),
        isDownloading: fc.boolean(),
        hasError: fc.boolean(),
      }),
      fc.nat(100_000),
    )
    fc.assert(
      fc.property(fc.array(look, { minLength: 1 }), (looks) => {
        const track = play(...looks)
        const nowMs = looks.at(-1)?.[1] ?? 0
        for (const since of [track.notConnectedSince, track.connectingSince, track.downloadingSince]) {
          expect(lasted(since, nowMs)).toBeGreaterThanOrEqual(0)
        }
        expect(track.notConnectedSince === undefined).toBe(looks.at(-1)?.[0].connected)
      }),
    )
  })
})
