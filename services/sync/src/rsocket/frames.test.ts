import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeFrame, encodeComplete, encodeError, encodeKeepalive, encodePayload, FrameError } from './frames.ts'

function number(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

/** A frame as the protocol describes it, apart from the code under test. */
function frame(streamId: number, type: number, flags: number, ...fields: readonly Buffer[]): Buffer {
  return Buffer.concat([number(streamId, 4), number(type * 1_024 + flags, 2), ...fields])
}

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array))
const streamId = fc.integer({ min: 1, max: 0x7fff_ffff })
const mime = fc.stringMatching(/^[\w/.+-]{0,40}$/)

/** What decoding does: a frame, or the refusal; anything else that is thrown fails the test. */
function attempt(message: Buffer): string {
  try {
    return decodeFrame(message).kind
  } catch (error) {
    if (error instanceof FrameError) return 'refused'
    throw error
  }
}

describe('frames', () => {
  test('any bytes are a frame or are refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (array) => {
        attempt(Buffer.from(array))
      }),
      { numRuns: 2_000 },
    )
  })

  test('any bytes after the head of each type are a frame or are refused', () => {
    fc.assert(
      fc.property(
        streamId,
        fc.integer({ min: 0, max: 63 }),
        fc.integer({ min: 0, max: 1_023 }),
        bytes,
        (id, type, flags, rest) => {
          attempt(frame(id % 2, type, flags, rest))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('a request has its fields, and every part of it is refused', () => {
    fc.assert(
      fc.property(streamId, fc.integer({ min: 1, max: 0x7fff_ffff }), bytes, bytes, (id, requestN, metadata, data) => {
        const head = [number(requestN, 4), number(metadata.length, 3), metadata]
        expect(decodeFrame(frame(id, 6, 0x100, ...head, data))).toEqual({
          kind: 'request stream',
          streamId: id,
          requestN,
          metadata,
          data,
        })
        const whole = frame(id, 6, 0x100, ...head)
        for (let length = 0; length < whole.length; length++) expect(attempt(whole.subarray(0, length))).toBe('refused')
      }),
      { numRuns: 100 },
    )
  })

  test('SETUP has its fields', () => {
    fc.assert(
      fc.property(mime, mime, fc.nat(), bytes, (metadataType, dataType, lifetimeMs, metadata) => {
        const types = [metadataType, dataType].flatMap((type) => [number(type.length, 1), Buffer.from(type)])
        const fields = [number(1, 2), number(0, 2), number(20_000, 4), number(lifetimeMs, 4), ...types]
        expect(decodeFrame(frame(0, 1, 0x100, ...fields, number(metadata.length, 3), metadata))).toEqual({
          kind: 'setup',
          lifetimeMs,
          metadataType,
          dataType,
          metadata,
        })
      }),
      { numRuns: 200 },
    )
  })

  test.each([
    ['SETUP of another version', frame(0, 1, 0, number(2, 2), number(0, 2)), 'RSocket 2.0 is not supported'],
    ['SETUP on a stream', frame(1, 1, 0), 'SETUP belongs to stream 0'],
    ['SETUP with a resume token', frame(0, 1, 0x80, number(1, 2), Buffer.alloc(10)), 'without a resume token'],
    ['SETUP with leases', frame(0, 1, 0x40, number(1, 2), Buffer.alloc(10)), 'Leases are not supported'],
    ['a request on stream 0', frame(0, 6, 0, number(1, 4)), 'stream other than 0'],
    ['a request for no payload', frame(1, 6, 0, number(0, 4)), 'at least one payload'],
    ['a request in fragments', frame(1, 6, 0x80, number(1, 4)), 'fragments are not supported'],
    ['REQUEST_N of 0', frame(1, 8, 0, number(0, 4)), 'at least one payload'],
    ['RESUME', frame(0, 13, 0), 'cannot be resumed'],
    ['an unknown type', frame(0, 40, 0), 'unknown type 40'],
    ['metadata longer than the frame', frame(1, 6, 0x100, number(1, 4), number(9, 3)), 'shorter than its fields'],
  ])('%s is refused with the reason', (_, message, reason) => {
    expect(() => decodeFrame(message)).toThrow(reason)
  })

  test.each([
    ['REQUEST_N', frame(5, 8, 0, number(7, 4)), { kind: 'request n', streamId: 5, requestN: 7 }],
    ['CANCEL', frame(5, 9, 0), { kind: 'cancel', streamId: 5 }],
    ['REQUEST_RESPONSE', frame(5, 4, 0), { kind: 'other request', streamId: 5 }],
    ['an unknown type that may be ignored', frame(0, 40, 0x200), { kind: 'none' }],
    [
      'KEEPALIVE',
      frame(0, 3, 0x80, Buffer.alloc(8), Buffer.from('x')),
      { kind: 'keepalive', wantsReply: true, data: Buffer.from('x') },
    ],
  ])('%s is read', (_, message, read) => {
    expect(decodeFrame(message)).toEqual(read)
  })

  test('the frames of the server are as the protocol has them', () => {
    expect(encodePayload(1, [Buffer.from('a'), Buffer.from('b')])).toEqual(frame(1, 10, 0x20, Buffer.from('ab')))
    expect(encodeComplete(1)).toEqual(frame(1, 10, 0x40))
    expect(encodeError(1, 0x201, 'ü')).toEqual(frame(1, 11, 0, number(0x201, 4), Buffer.from('ü')))
    expect(encodeKeepalive(Buffer.from('x'))).toEqual(frame(0, 3, 0, Buffer.alloc(8), Buffer.from('x')))
  })
})
