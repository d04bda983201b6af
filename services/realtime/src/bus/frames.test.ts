import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BoundedQueue } from './bounded-queue.ts'
import { FRAME_OVERHEAD_BYTES, FrameCipher } from './frame-cipher.ts'
import { Peer, splitMessage } from './peer.ts'

const secret = randomBytes(32)

test('frames are opened by the others that have the key, and only unchanged', () => {
  const [one, other, stranger] = [new FrameCipher(secret), new FrameCipher(secret), new FrameCipher(randomBytes(32))]
  const frame = one.seal(Buffer.from('hello'))
  expect(frame.length).toBe(FRAME_OVERHEAD_BYTES + 5)
  expect(other.open(frame)).toEqual({ node: one.node, number: 1, content: Buffer.from('hello') })
  expect(one.open(frame)).toBeUndefined()
  expect(stranger.open(frame)).toBeUndefined()
  for (let position = 0; position < frame.length; position++) {
    const changed = Buffer.from(frame)
    changed[position] = (changed[position] ?? 0) ^ 1
    expect(other.open(changed), `byte ${position}`).toBeUndefined()
    expect(other.open(frame.subarray(0, position))).toBeUndefined()
  }
})

test('messages are whole or missing, in order and once, whichever frames are lost or repeated', () => {
  const fate = fc.constantFrom('arrives', 'arrives', 'arrives', 'is lost', 'is repeated')
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(20), fc.array(fate, { minLength: 6, maxLength: 6 }))), (sent) => {
      const peer = new Peer()
      const arrived: string[] = []
      const whole: string[] = []
      let number = 0
      let isGapDue = false
      for (const [position, [length, fates]] of sent.entries()) {
        const text = `${position}:${'x'.repeat(length)}`
        const parts = splitMessage(Buffer.from(text), 6)
        if (parts.every((_, index) => fates[index] !== 'is lost')) whole.push(text)
        for (const [index, content] of parts.entries()) {
          number++
          if (fates[index] === 'is lost') {
            isGapDue = true
            continue
          }
          const taken = peer.take({ node: 'a', number, content })
          expect(taken?.isGap).toBe(isGapDue)
          isGapDue = false
          if (taken?.message) arrived.push(taken.message.toString())
          if (fates[index] === 'is repeated') expect(peer.take({ node: 'a', number, content })).toBeUndefined()
        }
      }
      expect(arrived).toEqual(whole)
    }),
  )
})

test('a queue holds no more than its limits, and gives at least one item', () => {
  const queue = new BoundedQueue<number>(3, 100)
  expect([10, 95, 20, 30, 1].map((bytes, item) => queue.push(item, bytes))).toEqual([true, false, true, true, false])
  expect(queue.peek(10, 5)).toEqual([0])
  expect(queue.peek(2, 100)).toEqual([0, 2])
  queue.drop(2)
  expect(queue.push(5, 70)).toBe(true)
  expect(queue.peek(10, 1_000)).toEqual([3, 5])
  queue.drop(9)
  expect(queue.isEmpty).toBe(true)
})
