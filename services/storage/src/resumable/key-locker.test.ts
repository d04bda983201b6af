import { ERRORS } from '@tus/server'
import { expect, test } from 'vitest'
import { createKeyLocker } from './key-locker.ts'

const open = new AbortController().signal
const nothing = (): void => undefined

test('who comes next asks the one before to stop, and waits until it has', async () => {
  const locker = createKeyLocker(10_000)
  const first = locker.newLock('a')
  const asked = Promise.withResolvers<void>()
  await first.lock(open, () => asked.resolve())
  const order: string[] = []
  const second = locker.newLock('a')
  const taken = second.lock(open, nothing).then(() => order.push('second'))
  await asked.promise
  order.push('first')
  await first.unlock()
  await taken
  expect(order).toEqual(['first', 'second'])
})

test('others of the same key take turns, those of another key do not wait', async () => {
  const locker = createKeyLocker(10_000)
  const order: number[] = []
  const holder = locker.newLock('a')
  await holder.lock(open, nothing)
  const turns = [1, 2, 3].map(async (number) => {
    const lock = locker.newLock('a')
    await lock.lock(open, nothing)
    order.push(number)
    await lock.unlock()
  })
  await locker.newLock('b').lock(open, nothing)
  await holder.unlock()
  await Promise.all(turns)
  expect(order).toEqual([1, 2, 3])
})

test('a request that ends while it waits takes no turn', async () => {
  const locker = createKeyLocker(10_000)
  const holder = locker.newLock('a')
  await holder.lock(open, nothing)
  const ended = new AbortController()
  const waiting = locker.newLock('a').lock(ended.signal, nothing)
  ended.abort()
  await expect(waiting).rejects.toBe(ERRORS.ERR_LOCK_TIMEOUT)
  await holder.unlock()
  await locker.newLock('a').lock(open, nothing)
})

test('a request does not wait for ever', async () => {
  const locker = createKeyLocker(10)
  await locker.newLock('a').lock(open, nothing)
  await expect(locker.newLock('a').lock(open, nothing)).rejects.toBe(ERRORS.ERR_LOCK_TIMEOUT)
})
