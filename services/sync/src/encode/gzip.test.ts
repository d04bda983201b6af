import { createGunzip, constants, gunzipSync } from 'node:zlib'
import { runsOf } from '@holdfast/test-support/runs'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createGzipStream } from './gzip.ts'

test('what was written comes out whole and in order, whatever the sizes', async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 50 }).map((list) => Buffer.from(list)),
    fc
      .tuple(fc.string({ minLength: 1, maxLength: 20 }), fc.nat(10_000))
      .map(([text, times]) => Buffer.from(text.repeat(times))),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(bytes, { maxLength: 8 }), async (list) => {
      const gzip = createGzipStream()
      const pieces: Buffer[] = []
      for (const one of list) pieces.push(...(await gzip.pieces(one)))
      expect(gunzipSync(Buffer.concat([...pieces, ...gzip.end()]))).toEqual(Buffer.concat(list))
    }),
    { numRuns: runsOf(100) },
  )
})

test.each([10, 300, 100_000])('a reader has all of %i bytes as soon as their pieces are there', async (size) => {
  const gzip = createGzipStream()
  const reader = createGunzip({ flush: constants.Z_SYNC_FLUSH })
  let read = ''
  reader.on('data', (chunk: Buffer) => (read += chunk.toString()))
  for (const text of ['a'.repeat(size), 'b'.repeat(size)]) {
    for (const piece of await gzip.pieces(Buffer.from(text))) reader.write(piece)
    const wanted = read.length + size
    await expect.poll(() => read.length).toBe(wanted)
    expect(read.endsWith(text)).toBe(true)
  }
  reader.destroy()
})

test('rows become a fraction', async () => {
  const rows = Buffer.from(
    Array.from({ length: 1_000 }, (_, n) => `{"id":"${n}","title":"Item number ${n}","done":0}`).join(''),
  )
  const pieces = await createGzipStream().pieces(rows)
  expect(pieces.reduce((sum, piece) => sum + piece.length, 0)).toBeLessThan(rows.length / 4)
})
