import fc from 'fast-check'
import { decodeQR } from 'qr/decode.js'
import { describe, expect, test } from 'vitest'
import { decodeBase32, encodeBase32 } from './base32.ts'
import { drawQrSvg } from './qr-svg.ts'
import { createTotpSecret, matchTotp, totpCode, totpStepAt, totpUri } from './totp.ts'

const RFC_SECRET = encodeBase32(Buffer.from('12345678901234567890'))
const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 })
const secrets = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(encodeBase32)
const times = fc.integer({ min: 120_000, max: 4_000_000_000_000 })

describe('a code of an authenticator app', () => {
  test.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('is what RFC 6238 says at %i', (seconds, code) => {
    expect(totpCode(RFC_SECRET, totpStepAt(seconds * 1000))).toBe(code)
  })

  test('is taken in its own step, the one before and the one after', () => {
    fc.assert(
      fc.property(secrets, times, fc.integer({ min: -1, max: 1 }), (secret, nowMs, off) => {
        const step = totpStepAt(nowMs) + off
        const found = matchTotp({ secret, code: totpCode(secret, step), nowMs, lastUsedStep: undefined })
        // Two neighbouring steps may have the same code by chance.
        expect(found).toBeDefined()
        expect(totpCode(secret, found ?? 0)).toBe(totpCode(secret, step))
      }),
    )
  })

  test('is not taken in any other step', () => {
    const far = fc.integer({ min: 2, max: 1000 }).chain((off) => fc.constantFrom(off, -off))
    fc.assert(
      fc.property(secrets, times, far, (secret, nowMs, off) => {
        const now = totpStepAt(nowMs)
        fc.pre(now + off >= 0)
        const code = totpCode(secret, now + off)
        fc.pre(![now - 1, now, now + 1].some((step) => totpCode(secret, step) === code))
        expect(matchTotp({ secret, code, nowMs, lastUsedStep: undefined })).toBeUndefined()
      }),
    )
  })

  test('is not taken again, nor is an earlier one after it', () => {
    fc.assert(
      fc.property(secrets, times, fc.integer({ min: -1, max: 1 }), fc.nat(60_000), (secret, nowMs, off, laterMs) => {
        const code = totpCode(secret, totpStepAt(nowMs) + off)
        const used = matchTotp({ secret, code, nowMs, lastUsedStep: undefined })
        const again = matchTotp({ secret, code, nowMs: nowMs + laterMs, lastUsedStep: used })
        if (again !== undefined) expect(again).toBeGreaterThan(used ?? Infinity)
        for (let step = 0; step <= 1; step += 1) {
          const earlier = totpCode(secret, (used ?? 0) - step)
          const found = matchTotp({ secret, code: earlier, nowMs, lastUsedStep: used })
          if (found !== undefined) expect(found).toBeGreaterThan(used ?? Infinity)
        }
      }),
    )
  })

  test.each(['', '12345', '1234567', '12345a', 'ééé'])('is not %j', (code) => {
    expect(matchTotp({ secret: RFC_SECRET, code, nowMs: 59_000, lastUsedStep: undefined })).toBeUndefined()
  })
})

describe('base 32', () => {
  test('gives back what it was given', () => {
    fc.assert(
      fc.property(bytes, (input) => {
        expect(decodeBase32(encodeBase32(input))).toEqual(Buffer.from(input))
      }),
    )
  })

  test('is read in lower case and with padding, and nothing else', () => {
    expect(decodeBase32('mzxw6===')).toEqual(Buffer.from('foo'))
    expect(decodeBase32('mzx-w6')).toBeUndefined()
  })
})

describe('what an authenticator app reads', () => {
  test('names the issuer and the account', () => {
    const uri = new URL(totpUri({ secret: RFC_SECRET, issuer: 'A & B', account: 'ada+1@example.org' }))
    expect(uri.protocol).toBe('otpauth:')
    expect(decodeURIComponent(uri.pathname)).toContain('A & B:ada+1@example.org')
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      algorithm: 'SHA1',
      digits: '6',
      issuer: 'A & B',
      period: '30',
      secret: RFC_SECRET,
    })
  })

  test('is a picture that can stand in a data address as it is', () => {
    const svg = drawQrSvg(totpUri({ secret: createTotpSecret(), issuer: '#1', account: 'a@example.org' }))
    expect(svg).toMatch(/^<svg [^#%]*<\/svg>$/)
  })

  test('can be read off the picture', () => {
    const uri = totpUri({ secret: createTotpSecret(), issuer: 'Boats', account: 'ada@example.org' })
    expect(decodeQR(paint(drawQrSvg(uri)))).toBe(uri)
  })
})

/** Rasterizes the QR code: four pixels per module, dark where the path is. */
function paint(svg: string): { width: number; height: number; data: Uint8Array } {
  const modules = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1])
  const width = modules * 4
  const data = new Uint8Array(width * width * 4).fill(255)
  for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)h(\d+)v1/g)) {
    for (let row = Number(y) * 4; row < Number(y) * 4 + 4; row += 1) {
      const from = row * width + Number(x) * 4
      for (let pixel = from; pixel < from + Number(length) * 4; pixel += 1) data.fill(0, pixel * 4, pixel * 4 + 3)
    }
  }
  return { width, height: width, data }
}
