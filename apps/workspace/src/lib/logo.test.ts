import { expect, test } from 'vitest'
import { LOGO_CHARS_MAX, LOGO_FILE_MAX, prepareLogo } from './logo.ts'

const png = new Blob(['x'], { type: 'image/png' })

test('a logo is scaled down until it is small enough to be part of the workspace', async () => {
  const sides: number[] = []
  const url = await prepareLogo(png, async (_, side) => {
    sides.push(side)
    return 'x'.repeat(side > 300 ? LOGO_CHARS_MAX + 1 : LOGO_CHARS_MAX)
  })
  expect(sides).toEqual([640, 400, 240])
  expect(url).toHaveLength(LOGO_CHARS_MAX)
})

test.each([
  ['an SVG, which can contain scripts', new Blob(['<svg/>'], { type: 'image/svg+xml' }), 'kind'],
  ['a document', new Blob(['x'], { type: 'application/pdf' }), 'kind'],
  ['a photo of many megabytes', new Blob([new Uint8Array(LOGO_FILE_MAX + 1)], { type: 'image/png' }), 'too_large'],
])('%s is not taken', async (_, file, reason) => {
  await expect(prepareLogo(file, () => Promise.resolve(''))).rejects.toMatchObject({ reason })
})

test('what the browser cannot read, and what stays too large, is told apart', async () => {
  await expect(prepareLogo(png, () => Promise.reject(new Error('broken')))).rejects.toMatchObject({
    reason: 'unreadable',
  })
  const huge = 'x'.repeat(LOGO_CHARS_MAX + 1)
  await expect(prepareLogo(png, () => Promise.resolve(huge))).rejects.toMatchObject({ reason: 'too_large' })
})
