import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFramer } from './framing.ts'
import { copyDataMessage, queryMessage, readServerError } from './messages.ts'

test('messages come out whole and in order however the bytes are cut', () => {
  const bodies = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 })
  const cuts = fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(bodies, cuts, (sent, sizes) => {
      const stream = Buffer.concat(sent.map((body) => copyDataMessage(Buffer.from(body))))
      const seen: string[] = []
      const feed = createFramer((type, buffer, start, end) => {
        seen.push(`${String.fromCharCode(type)}${buffer.toString('hex', start, end)}`)
      })
      for (let at = 0, turn = 0; at < stream.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1
        feed(stream.subarray(at, at + size))
        at += size
      }
      expect(seen).toEqual(sent.map((body) => `d${Buffer.from(body).toString('hex')}`))
    }),
  )
})

test('a simple query ends with a zero byte that its length counts', () => {
  expect(queryMessage('x')).toEqual(Buffer.from('Q\0\0\0\x06x\0', 'latin1'))
})

test('an error carries its SQLSTATE, message and detail', () => {
  const body = Buffer.from('SERROR\0C42704\0Mslot "ä" does not exist\0Dso it is\0\0')
  expect(readServerError(body, 0, body.length)).toMatchObject({
    code: '42704',
    message: 'slot "ä" does not exist',
    detail: 'so it is',
  })
})
