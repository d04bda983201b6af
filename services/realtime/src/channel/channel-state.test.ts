import { describe, expect, test } from 'vitest'
import { parseJoin } from './join-config.ts'
import { nextState, type MembershipState } from './membership-state.ts'
import { SerialQueue } from './serial-queue.ts'

describe('a membership', () => {
  test('that was closed while it joined stays closed when its answer comes', () => {
    const left = nextState({ kind: 'joining' }, { kind: 'closed', because: 'left' })
    expect(nextState(left, { kind: 'accepted' })).toEqual({ kind: 'closed', because: 'left' })
  })

  test('keeps the first reason of its end', () => {
    const joined: MembershipState = nextState({ kind: 'joining' }, { kind: 'accepted' })
    expect(joined).toEqual({ kind: 'joined' })
    const ended = nextState(joined, { kind: 'closed', because: 'ended' })
    expect(nextState(ended, { kind: 'closed', because: 'disconnected' })).toEqual({ kind: 'closed', because: 'ended' })
  })
})

test.each([
  ['nothing', undefined, { isPrivate: false, accessToken: undefined, postgresChanges: [] }],
  [
    'texts for booleans',
    { config: { private: 'true', broadcast: { self: 'true', ack: 'false' } } },
    { isPrivate: true, broadcast: { self: true, ack: false } },
  ],
  [
    'other types',
    { config: { private: 1, broadcast: [], presence: { key: 7, enabled: 'no' } }, access_token: {} },
    { isPrivate: false, presence: { key: '', isEnabled: true }, accessToken: undefined },
  ],
  ['the older name of the token', { user_token: 'a.b.c' }, { accessToken: 'a.b.c' }],
  ['a key as the token', { access_token: 'sb_publishable_x' }, { accessToken: undefined }],
  [
    'entries that are no subscriptions',
    { config: { postgres_changes: [1, { event: '*' }, null] } },
    { postgresChanges: [{ event: '*' }] },
  ],
])('a join with %s is read', (_title, payload, expected) => {
  expect(parseJoin(payload)).toMatchObject(expected)
})

describe('a serial queue', () => {
  const open = (waitingMax: number) => {
    const log: unknown[] = []
    const queue = new SerialQueue({
      waitingMax,
      onFull: () => log.push('full'),
      onRoom: () => log.push('room'),
      onError: (error) => log.push(error),
    })
    return { log, queue }
  }

  test('runs what does not wait at once, and the rest in order', async () => {
    const { log, queue } = open(10)
    const first = Promise.withResolvers<void>()
    queue.run(() => void log.push(1))
    queue.run(async () => {
      await first.promise
      log.push(2)
    })
    queue.run(() => void log.push(3))
    queue.run(async () => void log.push(4))
    queue.run(() => void log.push(5))
    expect(log).toEqual([1])
    first.resolve()
    await expect.poll(() => log).toEqual([1, 2, 3, 4, 5])
  })

  test('says when too many wait, and when there is room again', async () => {
    const { log, queue } = open(2)
    const first = Promise.withResolvers<void>()
    queue.run(() => first.promise)
    for (const one of [1, 2, 3]) queue.run(() => void log.push(one))
    expect(log).toEqual(['full'])
    first.resolve()
    await expect.poll(() => log).toEqual(['full', 1, 2, 3, 'room'])
  })

  test('goes on after a task that fails', async () => {
    const { log, queue } = open(2)
    queue.run(() => {
      throw new Error('now')
    })
    queue.run(async () => {
      throw new Error('later')
    })
    queue.run(() => void log.push('next'))
    await expect.poll(() => log.map(String)).toEqual(['Error: now', 'Error: later', 'next'])
  })
})
