import { expect, test } from 'vitest'
import { DrawingQueue } from './drawing-queue.ts'

const forever = new AbortController().signal

/** A drawing that finishes on demand. */
function drawing(): { readonly draw: () => Promise<string>; readonly end: () => void; hasBegun: boolean } {
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  const one = {
    hasBegun: false,
    end: () => end(),
    async draw() {
      one.hasBegun = true
      await ended
      return 'drawn'
    },
  }
  return one
}

test('draws so many at a time', async () => {
  const queue = new DrawingQueue(2)
  const all = [drawing(), drawing(), drawing()]
  const results = all.map((one) => queue.run('ada', forever, one.draw))
  await Promise.resolve()
  expect(all.map(({ hasBegun }) => hasBegun)).toEqual([true, true, false])
  all[0]?.end()
  await results[0]
  await expect.poll(() => all[2]?.hasBegun).toBe(true)
  for (const one of all) one.end()
  expect(await Promise.all(results)).toEqual(['drawn', 'drawn', 'drawn'])
})

test('a user who asks for many waits behind their own, and others come between', async () => {
  const queue = new DrawingQueue(1)
  const order: string[] = []
  const ask = (person: string, name: string): Promise<void> =>
    queue.run(person, forever, async () => void order.push(name))
  await Promise.all([ask('ada', 'a1'), ask('ada', 'a2'), ask('ada', 'a3'), ask('bob', 'b1'), ask('eve', 'e1')])
  expect(order).toEqual(['a1', 'a2', 'b1', 'e1', 'a3'])
})

test('a client that goes away gives its place to the next, and a drawing that fails too', async () => {
  const queue = new DrawingQueue(1)
  const [first, gone, last] = [drawing(), drawing(), drawing()]
  const leaving = new AbortController()
  const failing = queue.run('ada', forever, async () => {
    await first.draw()
    throw new Error('no image')
  })
  const waiting = queue.run('bob', leaving.signal, gone.draw)
  const next = queue.run('eve', forever, last.draw)
  leaving.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  first.end()
  await expect(failing).rejects.toThrow('no image')
  last.end()
  expect(await next).toBe('drawn')
  expect(gone.hasBegun).toBe(false)
})
