import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createBulkTurns } from './bulk-turns.ts'

test('one caller has each turn of the event loop, in order, and whoever asks again comes after the others', async () => {
  const turns = createBulkTurns()
  const done: string[] = []
  const work = async (name: string): Promise<void> => {
    for (let line = 1; line <= 2; line++) {
      await turns.next()
      done.push(`${name}${line}`)
    }
  }
  const all = Promise.all(['a', 'b', 'c'].map(work))
  let before = 0
  while (done.length < 6) {
    await nextTurn()
    expect(done.length - before).toBeLessThanOrEqual(1)
    before = done.length
  }
  await all
  expect(done).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2'])
  await work('d')
  expect(done.slice(6)).toEqual(['d1', 'd2'])
})
