import { describe, expect, test } from 'vitest'
import { endToEnd, requestHeaders, responseHeaders } from './headers.ts'

const FORWARDED = { for: '192.0.2.7', proto: 'https', host: 'app.example.com', requestId: 'id-1' }

describe('endToEnd', () => {
  test('leaves out headers of the connection, and those that it names', () => {
    const raw = ['Connection', 'close, X-Hop', 'x-hop', '1', 'Keep-Alive', 'timeout=5', 'X-Custom', 'stays']
    expect(endToEnd(raw)).toEqual(['X-Custom', 'stays'])
  })

  test('keeps a header that comes more than once', () => {
    const raw = ['set-cookie', 'a=1', 'set-cookie', 'b=2']
    expect(endToEnd(raw)).toEqual(raw)
  })
})

describe('requestHeaders', () => {
  test('says who asks, whatever the client says', () => {
    const raw = ['Host', 'app.example.com', 'X-Forwarded-For', '10.0.0.1', 'SB-Request-Id', 'forged']
    const headers = requestHeaders(raw, FORWARDED)
    expect(headers.slice(0, 2)).toEqual(['Host', 'app.example.com'])
    expect(headers).not.toContain('10.0.0.1')
    expect(headers).not.toContain('forged')
    expect(headers[headers.indexOf('x-forwarded-for') + 1]).toBe('192.0.2.7')
  })
})

describe('responseHeaders', () => {
  test('adds no type of content', () => {
    const names = responseHeaders([], 'id-1').filter((_part, index) => index % 2 === 0)
    expect(names).toEqual(['x-served-by', 'sb-request-id', 'x-request-id'])
  })
})
