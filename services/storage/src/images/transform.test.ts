import { describe, expect, test } from 'vitest'
import { describeTransform, encodeTransform, nameOfResult, parseSignedTransform, parseTransform } from './transform.ts'

describe('a transform', () => {
  test('of an address is told as imgproxy names it', () => {
    const transform = parseTransform({ width: '200', height: '200', resize: 'cover', quality: '60' })
    expect(describeTransform(transform)).toBe('height:200,width:200,resizing_type:fill,quality:60')
    expect(describeTransform(parseTransform({ width: 10, resize: 'contain', format: 'webp' }))).toBe(
      'width:10,resizing_type:fit,format:webp',
    )
  })

  test('of a signed address is the one that was signed', () => {
    for (const input of [
      { width: 300 },
      { height: 20, resize: 'fill', quality: 33, format: 'avif' },
      { width: 9, height: 9, gravity: 'fp', x_offset: 0.25, y_offset: 1 },
    ]) {
      const transform = parseTransform(input)
      expect(parseSignedTransform(encodeTransform(transform))).toEqual(transform)
    }
  })

  test('has sides from 1 to 2,000', () => {
    expect(parseTransform({ width: 0, height: 99_999 })).toMatchObject({ width: 1, height: 2_000 })
  })

  test.each([
    [{ width: 'wide' }, 'width must be a number'],
    [{ width: '-1' }, 'width must be a number'],
    [{ height: 1.5 }, 'height must be a whole number'],
    [{ quality: 19 }, 'quality must be from 20 to 100'],
    [{ resize: 'stretch' }, 'resize must be one of cover, contain, fill'],
    [{ format: 'svg' }, 'format must be one of origin, webp, avif'],
    [{ width: ['1', '2'] }, 'width must be a number'],
    [{ gravity: 'fp', x_offset: 0.5 }, 'gravity fp needs x_offset and y_offset'],
    [{ gravity: 'fp', x_offset: 2, y_offset: 0 }, 'x_offset must be from 0 to 1'],
  ])('that is none is refused: %o', (input, message) => {
    expect(() => parseTransform(input)).toThrow(message)
  })

  test('gives another result for whatever is different', () => {
    const names = [{ width: 1 }, { height: 1 }, { width: 1, quality: 50 }, { width: 1, gravity: 'so' }].flatMap((one) =>
      ['png', 'webp'].map((format) => nameOfResult(parseTransform(one), format)),
    )
    expect(new Set(names).size).toBe(names.length)
  })
})
