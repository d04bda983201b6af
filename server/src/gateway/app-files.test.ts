import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createHttpServer } from '@holdfast/http'
import { appFiles } from './app-files.ts'
import { isApi } from './gateway.ts'

let root: string
let app: FastifyInstance
const SCRIPT = `export const text = ${JSON.stringify('x'.repeat(5_000))}`

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-app-'))
  const directory = join(root, 'dist')
  mkdirSync(join(directory, 'assets'), { recursive: true })
  writeFileSync(join(root, 'secret.txt'), 'classified')
  writeFileSync(join(directory, 'index.html'), '<!doctype html><title>app</title>')
  writeFileSync(join(directory, 'service-worker.js'), 'self.x = 1')
  writeFileSync(join(directory, 'manifest.webmanifest'), '{}')
  writeFileSync(join(directory, 'assets', 'main-abc.js'), SCRIPT)
  writeFileSync(join(directory, 'assets', 'sqlite-abc.wasm'), Buffer.alloc(2_000))
  app = createHttpServer({ logger: silentLogger })
  await app.register(appFiles({ directory, isApi, mapOrigins: [] }))
})

afterEach(async () => {
  await app.close()
  rmSync(root, { recursive: true })
})

const page = { headers: { accept: 'text/html,*/*;q=0.8' } }

describe('the app', () => {
  test('has its page at the root and at every address that its router may know', async () => {
    for (const url of [
      '/',
      '/index.html',
      '/tables/sites',
      '/tables/sites?view=1',
      '/a.b/c',
      '/auth/callback?code=x',
    ]) {
      const answer = await app.inject({ url, ...page })
      expect([answer.statusCode, answer.body], url).toEqual([200, '<!doctype html><title>app</title>'])
      expect(answer.headers['cache-control']).toBe('no-cache')
    }
  })

  test('is not the answer to a script that asks for a missing file, nor to an API address', async () => {
    expect((await app.inject({ url: '/assets/old-123.js', ...page })).statusCode).toBe(404)
    expect((await app.inject({ url: '/data.json', headers: { accept: '*/*' } })).statusCode).toBe(404)
    expect((await app.inject({ url: '/storage/v1/object', ...page })).statusCode).toBe(404)
    expect((await app.inject({ url: '/auth/v1/nothing', ...page })).statusCode).toBe(404)
    expect((await app.inject({ url: '/tables', method: 'POST', ...page })).statusCode).toBe(404)
  })

  test.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/%00',
    '/%ff',
    '//etc/passwd',
    '/..\\secret.txt',
  ])('gives nothing outside of its folder for %s', async (url) => {
    const answer = await app.inject({ url, headers: { accept: '*/*' } })
    expect(answer.statusCode).toBeGreaterThanOrEqual(400)
    expect(answer.body).not.toContain('classified')
  })

  test('keeps hashed files for good and asks again for the others', async () => {
    expect((await app.inject('/assets/main-abc.js')).headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
    })
    expect((await app.inject('/service-worker.js')).headers['cache-control']).toBe('no-cache')
    expect((await app.inject('/manifest.webmanifest')).headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-type': expect.stringContaining('application/manifest+json') as string,
    })
    expect((await app.inject('/assets/sqlite-abc.wasm')).headers['content-type']).toBe('application/wasm')
  })

  test('is compressed as the browser accepts it', async () => {
    const get = (encoding: string) =>
      app.inject({ url: '/assets/main-abc.js', headers: { 'accept-encoding': encoding } })
    const [brotli, gzip, plain, refused] = await Promise.all([
      get('gzip, deflate, br'),
      get('gzip'),
      get('identity'),
      get('br;q=0, gzip;q=0'),
    ])
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(SCRIPT)
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(SCRIPT)
    for (const answer of [plain, refused]) {
      expect(answer.headers['content-encoding']).toBeUndefined()
      expect(answer.body).toBe(SCRIPT)
    }
    expect(new Set([brotli, gzip, plain].map((answer) => answer.headers['etag'])).size).toBe(3)
    expect(brotli.headers['vary']).toBe('accept-encoding')
  })

  test('is not sent again while it is the same, and read again when it was built again', async () => {
    const first = await app.inject({ url: '/', ...page })
    const etag = String(first.headers['etag'])
    // A proxy may weaken the tag or send several.
    for (const known of [etag, `W/${etag}`, `"old" , W/"other",${etag}`, '*']) {
      const again = await app.inject({ url: '/', headers: { ...page.headers, 'if-none-match': known } })
      expect([again.statusCode, again.body], known).toEqual([304, ''])
    }
    const other = await app.inject({ url: '/', headers: { ...page.headers, 'if-none-match': '"old", W/"other"' } })
    expect(other.statusCode).toBe(200)
    writeFileSync(join(root, 'dist', 'index.html'), '<!doctype html><title>newer</title>')
    const newer = await app.inject({ url: '/', headers: { ...page.headers, 'if-none-match': etag } })
    expect([newer.statusCode, newer.body]).toEqual([200, '<!doctype html><title>newer</title>'])
  })

  test('answers HEAD with the headers of GET', async () => {
    const answer = await app.inject({ method: 'HEAD', url: '/', ...page })
    expect([answer.statusCode, answer.body, answer.headers['content-length']]).toEqual([200, '', '33'])
  })

  test('runs its own scripts only', async () => {
    for (const url of ['/', '/service-worker.js', '/assets/main-abc.js']) {
      const { headers } = await app.inject({ url, ...page })
      const policy = String(headers['content-security-policy'])
      expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval';")
      expect(policy).toContain("connect-src 'self';")
      expect(policy).toContain("object-src 'none'")
      expect(policy).not.toContain('unsafe-inline')
      expect(policy).not.toContain("'unsafe-eval'")
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      })
    }
  })
})

test('an app with a map may load data from the origins of the map, and nothing else from there', async () => {
  const withMap = createHttpServer({ logger: silentLogger })
  const mapOrigins = ['https://tiles.example.com', 'https://fonts.example.com']
  await withMap.register(appFiles({ directory: join(root, 'dist'), isApi, mapOrigins }))
  const policy = String((await withMap.inject({ url: '/', ...page })).headers['content-security-policy'])
  const naming = policy.split('; ').filter((rule) => rule.includes('example.com'))
  expect(naming).toEqual(["connect-src 'self' https://tiles.example.com https://fonts.example.com"])
})

test('an app that was not built says how to build it', async () => {
  const empty = createHttpServer({ logger: silentLogger })
  await empty.register(appFiles({ directory: join(root, 'nothing'), isApi, mapOrigins: [] }))
  const answer = await empty.inject({ url: '/', ...page })
  expect([answer.statusCode, answer.body]).toEqual([503, expect.stringContaining('npm run build')])
})
