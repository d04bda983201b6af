import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFramer, LAST, type FramerOptions } from './framer.ts'
import { copyDataMessage, MESSAGE, queryMessage, readAffected, readColumns, readDataRow } from './messages.ts'
import { ProtocolError, readFields, readServerError } from './server-error.ts'

/** A server message of any type. */
function message(type: number, body: Uint8Array, length = 4 + body.length): Buffer {
  const head = Buffer.alloc(5)
  head[0] = type
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, body])
}

/** Feeds bytes in chunks of the given sizes, cyclically. @returns the bytes after the handler's last message */
function feedInChunks(options: FramerOptions, stream: Buffer, sizes: readonly number[]): Buffer {
  let isDone = false
  const onMessage: FramerOptions['onMessage'] = (...args) => {
    const result = options.onMessage(...args)
    isDone = result === LAST
    return result
  }
  const feed = createFramer({ ...options, onMessage })
  for (let at = 0, turn = 0; at < stream.length; turn++) {
    const end = Math.min(stream.length, at + (sizes[turn % sizes.length] ?? 1))
    const rest = feed(Buffer.from(stream.subarray(at, end)))
    if (isDone) return Buffer.concat([rest ?? Buffer.alloc(0), stream.subarray(end)])
    at = end
  }
  return Buffer.alloc(0)
}

const types = fc.integer({ min: 0, max: 255 })
const messages = fc.array(fc.tuple(types, fc.uint8Array({ maxLength: 40 })), { maxLength: 12 })
const sizes = fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 12 })

const show = (type: number, body: Uint8Array): string => `${type}:${Buffer.from(body).toString('hex')}`

describe('the framer', () => {
  test('hands on messages of all types, known or not, whole and in order, however the bytes are cut', () => {
    fc.assert(
      fc.property(messages, sizes, (sent, cuts) => {
        const seen: string[] = []
        const onMessage = (type: number, buffer: Buffer, start: number, end: number): void => {
          seen.push(show(type, buffer.subarray(start, end)))
        }
        feedInChunks({ onMessage }, Buffer.concat(sent.map(([type, body]) => message(type, body))), cuts)
        expect(seen).toEqual(sent.map(([type, body]) => show(type, body)))
      }),
    )
  })

  test('reads past the messages that are to be skipped, and hands on all others', () => {
    fc.assert(
      fc.property(messages, sizes, (sent, cuts) => {
        const isSkipped = (type: number, length: number): boolean => type % 2 === 0 && length > 20
        const seen: string[] = []
        const onMessage = (type: number, buffer: Buffer, start: number, end: number): void => {
          seen.push(show(type, buffer.subarray(start, end)))
        }
        feedInChunks({ onMessage, isSkipped }, Buffer.concat(sent.map(([type, body]) => message(type, body))), cuts)
        expect(seen).toEqual(
          sent.filter(([type, body]) => !isSkipped(type, 5 + body.length)).map(([type, body]) => show(type, body)),
        )
      }),
    )
  })

  test('leaves every byte behind the last message to the next reader', () => {
    fc.assert(
      fc.property(messages, fc.uint8Array({ maxLength: 40 }), sizes, (sent, behind, cuts) => {
        const before = sent.filter(([type]) => type !== MESSAGE.readyForQuery)
        const stream = [
          ...before.map(([type, body]) => message(type, body)),
          message(MESSAGE.readyForQuery, Buffer.from('I')),
        ]
        let count = 0
        const onMessage = (type: number): typeof LAST | void => {
          count++
          return type === MESSAGE.readyForQuery ? LAST : undefined
        }
        const left = feedInChunks({ onMessage }, Buffer.concat([...stream, behind]), cuts)
        expect(count).toBe(before.length + 1)
        expect(left).toEqual(Buffer.from(behind))
      }),
    )
  })

  test('ends with an error at a length that no message has', () => {
    const lengths = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 2 ** 30, max: 2 ** 32 - 1 }))
    fc.assert(
      fc.property(messages, types, lengths, sizes, (sent, type, length, cuts) => {
        const stream = [...sent.map(([each, body]) => message(each, body)), message(type, Buffer.alloc(0), length)]
        let seen = 0
        const feed = (): Buffer => feedInChunks({ onMessage: () => void seen++ }, Buffer.concat(stream), cuts)
        expect(feed).toThrow(ProtocolError)
        expect(seen).toBe(sent.length)
      }),
    )
  })

  test('any bytes at all end: in messages, in waiting for more, or in an error of the protocol', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), sizes, (bytes, cuts) => {
        let total = 0
        const onMessage = (_type: number, _buffer: Buffer, start: number, end: number): void => {
          expect(end).toBeGreaterThanOrEqual(start)
          total += 5 + end - start
        }
        try {
          feedInChunks({ onMessage }, Buffer.from(bytes), cuts)
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError)
        }
        expect(total).toBeLessThanOrEqual(bytes.length)
      }),
    )
  })
})

describe('the bodies of messages', () => {
  const readers: Readonly<Record<string, (buffer: Buffer, start: number, end: number) => unknown>> = {
    RowDescription: readColumns,
    DataRow: readDataRow,
    CommandComplete: readAffected,
    ErrorResponse: readServerError,
    NoticeResponse: (buffer, start, end) => [...readFields(buffer, start, end)],
  }

  test.each(Object.keys(readers))('any bytes as a %s are read, or are an error of the protocol', (name) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.uint8Array({ maxLength: 60 }), (body, next) => {
        try {
          const alone = readers[name]?.(Buffer.from(body), 0, body.length)
          // Following bytes in the same chunk make no difference.
          expect(readers[name]?.(Buffer.concat([body, next]), 0, body.length)).toEqual(alone)
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError)
          expect(() => readers[name]?.(Buffer.concat([body, next]), 0, body.length)).toThrow(ProtocolError)
        }
      }),
    )
  })

  test('the values of a row are those that were sent', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.uint8Array({ maxLength: 20 })), { maxLength: 20 }), (values) => {
        const count = Buffer.alloc(2)
        count.writeInt16BE(values.length)
        const parts = values.map((value) => {
          const length = Buffer.alloc(4)
          length.writeInt32BE(value?.length ?? -1)
          return Buffer.concat([length, value ?? Buffer.alloc(0)])
        })
        const body = Buffer.concat([count, ...parts])
        expect(readDataRow(body, 0, body.length)).toEqual(values.map((value) => value && Buffer.from(value)))
      }),
    )
  })

  test('an error carries its SQLSTATE, message and detail', () => {
    const body = Buffer.from('SFEHLER\0VERROR\0C42704\0Mslot "ä" does not exist\0Dso it is\0\0')
    expect(readServerError(body, 0, body.length)).toMatchObject({
      severity: 'ERROR',
      code: '42704',
      message: 'slot "ä" does not exist',
      detail: 'so it is',
    })
  })

  test.each([
    ['INSERT 0 5\0', 5],
    ['SELECT 1203\0', 1203],
    ['BEGIN\0', 0],
  ])('the tag %j tells of %i rows', (tag, rows) => {
    expect(readAffected(Buffer.from(tag), 0, tag.length)).toBe(rows)
  })

  test('a simple query ends with a zero byte that its length counts', () => {
    expect(queryMessage('ä')).toEqual(Buffer.from('Q\0\0\0\x07\xc3\xa4\0', 'latin1'))
    expect(copyDataMessage(Buffer.from('xy'))).toEqual(Buffer.from('d\0\0\0\x06xy', 'latin1'))
  })
})
