import { readdirSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStorageWorld, type Answer, type StorageWorld } from './storage-world.ts'

// Requests of malicious clients: path traversal and executable files.

let world: StorageWorld

beforeAll(async () => {
  world = await openStorageWorld()
  await world.run(`insert into storage.buckets (id, name, public) values ('box', 'box', true)`)
})
afterAll(() => world[Symbol.asyncDispose]())

/** Sends the path verbatim; `fetch` would normalize it. */
function raw(method: string, path: string, body?: string): Promise<{ readonly status: number; readonly text: string }> {
  const { hostname, port, pathname } = new URL(world.url)
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      hostname,
      port,
      method,
      path: pathname + path,
      headers: { 'content-type': 'text/plain' },
    })
    request.on('error', reject)
    request.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => (text += part))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    request.end(body)
  })
}

const VERSION = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Every file name is a version or belongs to the store. */
function expectOnlyVersions(): void {
  const files = readdirSync(world.folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  expect(
    files
      .map(({ name }) => name)
      .filter((name) => !VERSION.test(name))
      .toSorted(),
  ).toEqual(['server-id', 'store-id'])
}

describe('a path', () => {
  test.each([
    ['..', '../../../../etc/passwd'],
    ['.. that is encoded', '..%2f..%2f..%2f..%2fetc%2fpasswd'],
    ['dots that are encoded', '%2e%2e/%2e%2e/%2e%2e/etc/passwd'],
    ['the store itself', '../store-id'],
    ['an absolute one', '/etc/passwd'],
    ['slashes in a row', 'a//..//b'],
  ])('that is %s is a key like any other, and no path', async (_what, path) => {
    const body = `bytes of ${path}`
    const put = await raw('PUT', `/object/box/${path}`, body)
    const got = await raw('GET', `/object/public/box/${path}`)
    // A path is either refused or a key whose exact bytes come back.
    if (put.status === 200) expect(got).toEqual({ status: 200, text: body })
    else expect([put.status, got.status].every((status) => status === 400 || status === 404)).toBe(true)
    expect(got.text).not.toContain('root:')
    expectOnlyVersions()
  })

  test.each([
    ['NUL', 'a%00b'],
    ['a backslash', '..%5c..%5cwindows'],
    ['dots that are encoded twice', '%252e%252e%252fetc'],
    ['overlong UTF-8', '%c0%ae%c0%ae%c0%afetc'],
    ['half a surrogate', '%ed%a0%80'],
    ['a percent sign alone', 'a%'],
    ['a line break', 'a%0d%0ab'],
    ['a letter beyond ASCII', 'caf%C3%A9'],
    ['1,025 characters', 'x'.repeat(1_025)],
  ])('with %s is refused', async (_what, path) => {
    for (const method of ['POST', 'PUT']) {
      const { status, text } = await raw(method, `/object/box/${path}`, 'x')
      expect([status, text]).toEqual([400, expect.stringContaining('"message"')])
    }
    const got = await raw('GET', `/object/public/box/${path}`)
    expect([400, 404]).toContain(got.status)
    expectOnlyVersions()
  })

  test('that is the name of a bucket leads to no other bucket', async () => {
    for (const bucket of ['..', '.', '%2e%2e', '..%2fversions', 'box%2f..', '%00'])
      expect([400, 404]).toContain((await raw('PUT', `/object/${bucket}/key`, 'x')).status)
    expectOnlyVersions()
  })

  test('in a body is held to the same rules', async () => {
    await raw('PUT', '/object/box/source', 'x')
    for (const destinationKey of ['a\0b', 'a\\b', '%2e%2e', 'é', 'x'.repeat(1_025), ''])
      for (const url of ['/object/move', '/object/copy']) {
        const payload = { bucketId: 'box', sourceKey: 'source', destinationKey }
        const { body } = await world.request('service', { method: 'POST', url, payload })
        expect([url, destinationKey.slice(0, 9), body]).toMatchObject([
          url,
          destinationKey.slice(0, 9),
          { code: 'InvalidKey' },
        ])
      }
    expectOnlyVersions()
  })
})

describe('a file that wants to run', () => {
  const script = '<script>alert(document.domain)</script>'
  const get = (url: string): Promise<Answer> => world.request('nobody', { method: 'GET', url })

  test.each([
    'text/html',
    'text/HTML; charset=utf-8',
    'application/xhtml+xml',
    'image/svg+xml',
    'IMAGE/SVG+XML',
    'text/xml',
    'application/xml',
    'application/javascript',
    'multipart/x-mixed-replace',
  ])('does not, as %s, whichever address it has', async (type) => {
    const headers = { 'content-type': type, 'x-upsert': 'true' }
    const put = await world.request('service', { method: 'POST', url: '/object/box/run', payload: script, headers })
    expect(put.status).toBe(200)
    const signing = await world.request('service', {
      method: 'POST',
      url: '/object/sign/box/run',
      payload: { expiresIn: 60 },
    })
    const { signedURL } = signing.body as { signedURL: string }
    for (const url of ['/object/public/box/run', '/object/box/run', signedURL]) {
      const { status, headers: got } = await get(url)
      expect([status, got['x-content-type-options']]).toEqual([200, 'nosniff'])
      const served = String(got['content-type'])
      expect(served).not.toMatch(/html/i)
      if (!/^text\/plain(?:;|$)/.test(served))
        expect(got['content-security-policy']).toMatch(/^sandbox; default-src 'none'/)
    }
  })

  // Types also come from SQL, forms, TUS and S3, which do not parse them.
  test.each([
    'image/SVG+XML',
    'image/png;a=b, image/svg+xml',
    'image/png, text/xml',
    'image/x+xml',
    'font/x+xml; charset=utf-8',
    'application/vnd.mozilla.xul+xml',
    'Application/Vnd.X+XML',
    ' image/svg+xml',
  ])('does not, as %s of a row', async (mimetype) => {
    const headers = { 'content-type': 'text/plain', 'x-upsert': 'true' }
    await world.request('service', { method: 'POST', url: '/object/box/row', payload: script, headers })
    await world.run(
      `update storage.objects set metadata = metadata || '${JSON.stringify({ mimetype })}' where name = 'row'`,
    )
    const { headers: got } = await get('/object/public/box/row')
    expect(got['content-security-policy']).toMatch(/^sandbox; default-src 'none'/)
  })

  test.each([
    'image/PNG',
    'text/plain; charset=utf-8',
    'application/pdf',
    'application/vnd.ms-excel',
    'video/mp4;codecs=avc1',
  ])('and what cannot, as %s, is in no sandbox', async (mimetype) => {
    await world.run(
      `update storage.objects set metadata = metadata || '${JSON.stringify({ mimetype })}' where name = 'row'`,
    )
    const { headers } = await get('/object/public/box/row')
    expect(headers['content-security-policy']).toBeUndefined()
  })

  test.each(['text/plain, text/html', 'x'])('does not come in as %s, which is no type', async (type) => {
    const headers = { 'content-type': type, 'x-upsert': 'true' }
    const put = await world.request('service', { method: 'POST', url: '/object/box/run', payload: script, headers })
    expect(put.body).toMatchObject({ code: 'InvalidMimeType' })
  })

  test('does not get into a header', async () => {
    await world.run(`update storage.objects
      set metadata = metadata || '{"mimetype": "text/plain\\r\\nx-evil: 1", "cacheControl": "no\\r\\nx-evil: 1", "eTag": "\\"a\\r\\n\\""}'
      where name = 'run'`)
    const { status, headers } = await get('/object/public/box/run?download=%0d%0ax-evil:%201')
    expect([status, headers['x-evil']]).toEqual([200, undefined])
    expect(headers['content-type']).toBe('application/octet-stream')
    expect(headers['content-disposition']).toBe(
      "attachment; filename=%0D%0Ax-evil%3A%201; filename*=UTF-8''%0D%0Ax-evil%3A%201",
    )
  })
})

describe('a part of a file', () => {
  const bytes = '0123456789'
  const get = (headers: Record<string, string>): Promise<Answer> =>
    world.request('nobody', { method: 'GET', url: '/object/public/box/digits', headers })

  beforeAll(async () => {
    await world.request('service', {
      method: 'PUT',
      url: '/object/box/digits',
      payload: bytes,
      headers: { 'content-type': 'text/plain' },
    })
  })

  test.each([
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', bytes, 'bytes 0-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
  ])('%s', async (range, text, contentRange) => {
    const answer = await get({ range })
    expect([answer.status, answer.text, answer.headers['content-range'], answer.headers['content-length']]).toEqual([
      206,
      text,
      contentRange,
      String(text.length),
    ])
  })

  test.each([
    'bytes=10-',
    'bytes=5-2',
    'bytes=-0',
    'bytes=a-b',
    'bytes=0-1,3-4',
    'lines=1-2',
    'bytes=',
    'bytes=99999999999999999999-',
  ])('%s is none', async (range) => {
    const answer = await get({ range })
    expect([answer.status, answer.headers['content-range'], (answer.body as { code: string }).code]).toEqual([
      416,
      'bytes */10',
      'InvalidRange',
    ])
  })

  test('is of the version that the client knows, else all of it comes', async () => {
    const { headers } = await get({})
    const [etag, modified] = [String(headers['etag']), String(headers['last-modified'])]
    const statusOf = async (ifRange: string): Promise<number> =>
      (await get({ range: 'bytes=0-1', 'if-range': ifRange })).status
    expect([await statusOf(etag), await statusOf(modified)]).toEqual([206, 206])
    expect([await statusOf('"other"'), await statusOf('Thu, 01 Jan 2015 00:00:00 GMT')]).toEqual([200, 200])
  })

  test('that the client has is not sent', async () => {
    const { headers } = await get({})
    const [etag, modified] = [String(headers['etag']), String(headers['last-modified'])]
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await get({ 'if-none-match': known })
      expect([answer.status, answer.text, answer.headers['etag']]).toEqual([304, '', etag])
    }
    expect((await get({ 'if-modified-since': modified })).status).toBe(304)
    expect((await get({ 'if-none-match': '"other"', 'if-modified-since': modified })).status).toBe(200)
    expect((await get({ 'if-modified-since': 'yesterday' })).status).toBe(200)
  })
})

describe('a token of a signed address', () => {
  test('is good for its own object and direction, and for nothing else', async () => {
    const sign = async (url: string, payload?: object): Promise<string> => {
      const { body } = await world.request('service', { method: 'POST', url, ...(payload && { payload }) })
      const { signedURL, url: upload } = body as { signedURL?: string; url?: string }
      return new URL(signedURL ?? upload ?? '', 'http://x').searchParams.get('token') ?? ''
    }
    await world.run(`insert into storage.buckets (id, name) values ('private', 'private')`)
    for (const key of ['mine', 'other'])
      await world.request('service', {
        method: 'PUT',
        url: `/object/private/${key}`,
        payload: key,
        headers: { 'content-type': 'text/plain' },
      })
    const download = await sign('/object/sign/private/mine', { expiresIn: 60 })
    const upload = await sign('/object/upload/sign/private/new')
    const get = async (path: string, token: string): Promise<unknown> =>
      (await world.request('nobody', { method: 'GET', url: `/object/sign/${path}?token=${token}` })).body
    const put = async (path: string, token: string): Promise<unknown> =>
      (
        await world.request('nobody', {
          method: 'PUT',
          url: `/object/upload/sign/${path}?token=${token}`,
          payload: 'x',
          headers: { 'content-type': 'text/plain' },
        })
      ).body

    const refused = { code: 'InvalidSignature' }
    for (const path of ['private/other', 'private/mine2', 'private/mine/', 'box/mine', 'private/MINE'])
      expect([path, await get(path, download)]).toMatchObject([path, refused])
    expect(await get('private/new', upload)).toMatchObject(refused)
    expect(await put('private/mine', download)).toMatchObject(refused)
    expect(await put('private/other', upload)).toMatchObject(refused)
    const [head, , signature] = download.split('.')
    const forged = Buffer.from(JSON.stringify({ url: 'private/other', scope: 'download', exp: 4e9 })).toString(
      'base64url',
    )
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    for (const token of [`${head}.${forged}.${signature}`, `${none}.${forged}.`, 'x', ''])
      expect(await get('private/other', token)).toMatchObject({ code: 'InvalidJWT' })
  })
})
