import { createHash, createHmac, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openStorageWorld, type StorageWorld } from '../storage-world.ts'

// Signs independently of the verifying code, following the Signature Version 4 documentation.

const REGION = 'us-east-1'
const EMPTY = createHash('sha256').update('').digest('hex')

let world: StorageWorld
let host: string

beforeAll(async () => {
  world = await openStorageWorld()
  host = new URL(world.url).host
  await world.request('service', { method: 'POST', url: '/bucket', payload: { name: 'b' } })
})
afterAll(() => world[Symbol.asyncDispose]())

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

interface Signing {
  readonly key: Buffer
  readonly scope: string
  readonly timestamp: string
  readonly signature: string
}

interface Wanted {
  readonly method?: string
  /** Below `/s3`. */
  readonly path: string
  readonly query?: string
  readonly payloadHash?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly at?: Date
  readonly secret?: string
}

/** @returns headers of a signed request */
function signed(wanted: Wanted): { readonly headers: Record<string, string>; readonly signing: Signing } {
  const { method = 'PUT', path, query = '', payloadHash = EMPTY, at = new Date() } = wanted
  const timestamp = at.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const date = timestamp.slice(0, 8)
  const headers: Record<string, string> = {
    host,
    'x-amz-content-sha256': payloadHash,
    'x-amz-date': timestamp,
    ...wanted.headers,
  }
  const names = Object.keys(headers).toSorted()
  const canonical = [
    method,
    `/storage/v1/s3${path}`,
    query,
    names.map((name) => `${name}:${headers[name]}\n`).join(''),
    names.join(';'),
    payloadHash,
  ].join('\n')
  const scope = `${date}/${REGION}/s3/aws4_request`
  let key: Buffer = Buffer.from(`AWS4${wanted.secret ?? world.s3.secretAccessKey}`)
  for (const part of scope.split('/')) key = hmac(key, part)
  const signature = hmac(key, ['AWS4-HMAC-SHA256', timestamp, scope, sha256(canonical)].join('\n')).toString('hex')
  headers['authorization'] =
    `AWS4-HMAC-SHA256 Credential=${world.s3.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
  return { headers, signing: { key, scope, timestamp, signature } }
}

interface Answer {
  readonly status: number
  readonly text: string
}

async function send(wanted: Wanted, body?: string | Buffer, change: Record<string, string> = {}): Promise<Answer> {
  const { headers } = signed(wanted)
  return sendAs(wanted, { ...headers, ...change }, body)
}

async function sendAs(
  { method = 'PUT', path, query }: Wanted,
  { host: _host, ...headers }: Record<string, string>,
  body?: string | Buffer,
): Promise<Answer> {
  const url = `${world.url}/s3${path}${query === undefined ? '' : `?${query}`}`
  const answer = await fetch(url, {
    method,
    headers,
    ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
  })
  return { status: answer.status, text: await answer.text() }
}

function codeOf({ status, text }: Answer): string {
  return `${status} ${/<Code>(.*?)<\/Code>/.exec(text)?.[1] ?? ''}`.trim()
}

/** Encodes chunks as `STREAMING-AWS4-HMAC-SHA256-PAYLOAD`. */
function signedChunks({ key, scope, timestamp, signature }: Signing, chunks: readonly Buffer[]): Buffer {
  let previous = signature
  const pieces = [...chunks, Buffer.alloc(0)].map((chunk) => {
    const text = ['AWS4-HMAC-SHA256-PAYLOAD', timestamp, scope, previous, EMPTY, sha256(chunk)].join('\n')
    previous = hmac(key, text).toString('hex')
    return Buffer.concat([
      Buffer.from(`${chunk.length.toString(16)};chunk-signature=${previous}\r\n`),
      chunk,
      Buffer.from('\r\n'),
    ])
  })
  return Buffer.concat(pieces)
}

const rows = (): ReturnType<StorageWorld['run']> => world.run('select name, metadata from storage.objects')

describe('signatures', () => {
  beforeEach(() => world.run('begin; set local storage.allow_delete_query = true; delete from storage.objects; commit'))

  test('that are good let a request in', async () => {
    expect(codeOf(await send({ path: '/b/a', payloadHash: sha256('abc') }, 'abc'))).toBe('200')
    expect(await rows()).toMatchObject([{ name: 'a', metadata: { size: 3 } }])
  })

  test('of another secret, path, query, header or method do not', async () => {
    const wanted: Wanted = { path: '/b/a', payloadHash: sha256('abc'), headers: { 'x-amz-meta-a': '1' } }
    const { headers } = signed(wanted)
    const mismatch = '403 SignatureDoesNotMatch'
    expect(codeOf(await send({ ...wanted, secret: 'a guess' }, 'abc'))).toBe(mismatch)
    expect(codeOf(await sendAs({ ...wanted, path: '/b/other' }, headers, 'abc'))).toBe(mismatch)
    expect(codeOf(await sendAs({ ...wanted, query: 'x=1' }, headers, 'abc'))).toBe(mismatch)
    expect(codeOf(await sendAs(wanted, { ...headers, 'x-amz-meta-a': '2' }, 'abc'))).toBe(mismatch)
    expect(codeOf(await sendAs({ ...wanted, method: 'DELETE' }, headers))).toBe(mismatch)
    expect(await rows()).toEqual([])
  })

  test('leave out no header that means something to S3', async () => {
    await send({ path: '/b/secret', payloadHash: sha256('abc') }, 'abc')
    const answer = await send({ path: '/b/a' }, undefined, { 'x-amz-copy-source': '/b/secret' })
    expect(codeOf(answer)).toBe('403 AccessDenied')
    expect(answer.text).toContain('x-amz-copy-source')
    expect(await rows()).toMatchObject([{ name: 'secret' }])
  })

  test('of the wrong time are refused: replayed later, or from the future', async () => {
    for (const minutes of [-16, 16]) {
      const at = new Date(Date.now() + minutes * 60_000)
      expect(codeOf(await send({ path: '/b/a', at }))).toBe('403 RequestTimeTooSkewed')
    }
  })

  test.each([
    ['nothing', undefined],
    ['a bearer', 'Bearer x'],
    ['no parts', 'AWS4-HMAC-SHA256 '],
    ['another service', 'AWS4-HMAC-SHA256 Credential=a/20260101/r/iam/aws4_request, SignedHeaders=host, Signature=0'],
    ['no host', 'AWS4-HMAC-SHA256 Credential=a/20260101/r/s3/aws4_request, SignedHeaders=x, Signature=0'],
    [
      'a date of another day',
      'AWS4-HMAC-SHA256 Credential=a/20010101/r/s3/aws4_request, SignedHeaders=host, Signature=0',
    ],
  ])('are refused when they are %s', async (_title, authorization) => {
    const { headers } = signed({ path: '/b/a' })
    const { authorization: _old, ...others } = headers
    const answer = await sendAs({ path: '/b/a' }, { ...others, ...(authorization !== undefined && { authorization }) })
    expect([400, 403]).toContain(answer.status)
    expect(answer.text).toContain('<Error><Code>')
  })

  test('of addresses end, last no longer than a week, and are for one request', async () => {
    await send({ path: '/b/a', payloadHash: sha256('abc') }, 'abc')
    const read = async (at: Date, expires: number, method = 'GET'): Promise<string> => {
      const timestamp = at.toISOString().replaceAll(/[-:]|\.\d+/g, '')
      const scope = `${timestamp.slice(0, 8)}/${REGION}/s3/aws4_request`
      const query = [
        'X-Amz-Algorithm=AWS4-HMAC-SHA256',
        `X-Amz-Credential=${encodeURIComponent(`${world.s3.accessKeyId}/${scope}`)}`,
        `X-Amz-Date=${timestamp}`,
        `X-Amz-Expires=${expires}`,
        'X-Amz-SignedHeaders=host',
      ].join('&')
      const canonical = ['GET', '/storage/v1/s3/b/a', query, `host:${host}\n`, 'host', 'UNSIGNED-PAYLOAD'].join('\n')
      let key: Buffer = Buffer.from(`AWS4${world.s3.secretAccessKey}`)
      for (const part of scope.split('/')) key = hmac(key, part)
      const signature = hmac(key, ['AWS4-HMAC-SHA256', timestamp, scope, sha256(canonical)].join('\n')).toString('hex')
      return codeOf(await sendAs({ method, path: '/b/a', query: `${query}&X-Amz-Signature=${signature}` }, {}))
    }
    const now = new Date()
    expect(await read(now, 60)).toBe('200')
    expect(await read(now, 60, 'DELETE')).toBe('403 SignatureDoesNotMatch')
    expect(await read(new Date(Date.now() - 120_000), 60)).toBe('403 AccessDenied')
    expect(await read(now, 604_801)).toBe('400 AuthorizationHeaderMalformed')
    expect(await read(now, 0)).toBe('400 AuthorizationHeaderMalformed')
  })
})

describe('bodies', () => {
  beforeEach(() => world.run('begin; set local storage.allow_delete_query = true; delete from storage.objects; commit'))

  test('are what was signed and summed up, or nothing is stored', async () => {
    const payloadHash = sha256('abc')
    expect(codeOf(await send({ path: '/b/a', payloadHash }, 'abd'))).toBe('400 XAmzContentSHA256Mismatch')
    const md5 = { 'content-md5': createHash('md5').update('other').digest('base64') }
    expect(codeOf(await send({ path: '/b/a', payloadHash, headers: md5 }, 'abc'))).toBe('400 BadDigest')
    expect(codeOf(await send({ path: '/b/a', payloadHash, headers: { 'content-md5': 'x' } }, 'abc'))).toBe(
      '400 InvalidDigest',
    )
    expect(await rows()).toEqual([])
  })

  const PAYLOAD = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD'
  const chunks = [randomBytes(70_000), randomBytes(5)]
  const whole = Buffer.concat(chunks)

  async function sendChunks(change: (body: Buffer) => Buffer, length = whole.length): Promise<string> {
    const wanted: Wanted = {
      path: '/b/chunked',
      payloadHash: PAYLOAD,
      headers: { 'x-amz-decoded-content-length': String(length) },
    }
    const { headers, signing } = signed(wanted)
    return codeOf(await sendAs(wanted, headers, change(signedChunks(signing, chunks))))
  }

  test('in signed chunks are put together', async () => {
    expect(await sendChunks((body) => body)).toBe('200')
    const read = await world.request('service', { url: '/object/b/chunked' })
    expect(read.bytes.equals(whole)).toBe(true)
  })

  const EDITS: readonly (readonly [string, (body: Buffer) => Buffer, string])[] = [
    ['a byte of data', (body) => flipped(body, 1_000), '403 SignatureDoesNotMatch'],
    ['a signature', (body) => flipped(body, 30), '403 SignatureDoesNotMatch'],
    ['the end left out', (body) => body.subarray(0, body.lastIndexOf('0;chunk-signature')), '400 IncompleteBody'],
    ['a chunk cut', (body) => body.subarray(0, 30_000), '400 IncompleteBody'],
    ['more behind the end', (body) => Buffer.concat([body, Buffer.from('x')]), '400 InvalidRequest'],
    [
      'no signature',
      (body) => Buffer.from(body.toString('latin1').replace(/;chunk-signature=\w+/, ''), 'latin1'),
      '400 InvalidRequest',
    ],
    ['a size that is none', () => Buffer.from('zz;chunk-signature=\r\n'), '400 InvalidRequest'],
    ['a line without an end', () => Buffer.alloc(100_000, 'a'), '400 InvalidRequest'],
    [
      'a size beyond the length',
      () => Buffer.from(`ffffffffff;chunk-signature=${'0'.repeat(64)}\r\n`),
      '400 IncompleteBody',
    ],
  ]
  test.each(EDITS)('in chunks with %s are refused, and nothing is stored', async (_title, change, code) => {
    expect(await sendChunks(change)).toBe(code)
    expect(await rows()).toEqual([])
  })

  test('in chunks of another length than was said are refused', async () => {
    expect(await sendChunks((body) => body, whole.length - 1)).toBe('400 IncompleteBody')
    expect(await sendChunks((body) => body, whole.length + 1)).toBe('400 IncompleteBody')
    expect(await rows()).toEqual([])
  })

  test('with a trailer are held to it', async () => {
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32('abc'))
    const wanted: Wanted = {
      path: '/b/trailer',
      payloadHash: 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      headers: { 'x-amz-decoded-content-length': '3', 'x-amz-trailer': 'x-amz-checksum-crc32' },
    }
    const body = (trailer: string): string => `3\r\nabc\r\n0\r\n${trailer}\r\n`
    const line = `x-amz-checksum-crc32:${sum.toString('base64')}\r\n`
    expect(codeOf(await send(wanted, body(line)))).toBe('200')
    expect(codeOf(await send(wanted, body('x-amz-checksum-crc32:AAAAAA==\r\n')))).toBe('400 BadDigest')
    expect(codeOf(await send(wanted, body('')))).toBe('400 MalformedTrailerError')
    expect(codeOf(await send(wanted, body(`${line}x-other:1\r\n`)))).toBe('400 MalformedTrailerError')
    expect(codeOf(await send(wanted, body(line + line)))).toBe('400 MalformedTrailerError')
    const unknown = { ...wanted, headers: { ...wanted.headers, 'x-amz-trailer': 'x-amz-checksum-none' } }
    expect(codeOf(await send(unknown, body('x-amz-checksum-none:1\r\n')))).toBe('400 InvalidArgument')
  })

  test('with a signed trailer are held to its signature', async () => {
    const wanted: Wanted = {
      path: '/b/signed-trailer',
      payloadHash: `${PAYLOAD}-TRAILER`,
      headers: { 'x-amz-decoded-content-length': '3', 'x-amz-trailer': 'x-amz-checksum-crc32' },
    }
    const { headers, signing } = signed(wanted)
    const data = signedChunks(signing, [Buffer.from('abc')]).toString('latin1')
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(crc32('abc'))
    const trailer = `x-amz-checksum-crc32:${sum.toString('base64')}`
    const last = /chunk-signature=(\w+)\r\n\r\n$/.exec(data)?.[1] ?? ''
    const { key, scope, timestamp } = signing
    const text = ['AWS4-HMAC-SHA256-TRAILER', timestamp, scope, last, sha256(`${trailer}\n`)].join('\n')
    const good = hmac(key, text).toString('hex')
    const body = (signature: string): Buffer =>
      Buffer.from(`${data.slice(0, -2)}${trailer}\r\nx-amz-trailer-signature:${signature}\r\n\r\n`, 'latin1')
    expect(codeOf(await sendAs(wanted, headers, body(good)))).toBe('200')
    expect(codeOf(await sendAs(wanted, headers, body('0'.repeat(64))))).toBe('403 SignatureDoesNotMatch')
  })
})

describe('documents', () => {
  const post = async (path: string, query: string, body: string): Promise<string> =>
    codeOf(await send({ method: 'POST', path, query, payloadHash: sha256(body) }, body))
  const bomb = `<!DOCTYPE d [${'<!ENTITY a "aaaaaaaaaa">'.repeat(10)}]>`

  test.each([
    ['nothing', ''],
    ['a text', 'hello'],
    ['another root', '<Other/>'],
    ['an open element', '<Delete><Object><Key>a</Key>'],
    ['entities that grow', `${bomb}<Delete><Object><Key>&a;</Key></Object></Delete>`],
    [
      'an external entity',
      '<!DOCTYPE d [<!ENTITY a SYSTEM "file:///etc/passwd">]><Delete><Object><Key>&a;</Key></Object></Delete>',
    ],
    ['an object without a key', '<Delete><Object><Other/></Object></Delete>'],
    ['too many objects', `<Delete>${'<Object><Key>a</Key></Object>'.repeat(1_001)}</Delete>`],
    ['deep elements', `<Delete>${'<a>'.repeat(50_000)}${'</a>'.repeat(50_000)}</Delete>`],
    ['more than 4 MiB', `<Delete>${'<Object><Key>a</Key></Object>'.repeat(200_000)}</Delete>`],
  ])('that list objects are refused when they are %s', async (_title, body) => {
    expect(await post('/b', 'delete=', body)).toBe('400 MalformedXML')
  })

  // Go's `encoding/xml` writes quotes this way, and so do its SDKs and rclone.
  test('name objects and parts by characters that are written as numbers', async () => {
    const key = "it's & more"
    const path = `/b/${key
      .split('')
      .map((one) => (/[a-z]/.test(one) ? one : `%${one.charCodeAt(0).toString(16).toUpperCase()}`))
      .join('')}`
    const begun = await send({ method: 'POST', path, query: 'uploads=' })
    const uploadId = /<UploadId>(.*)<\/UploadId>/.exec(begun.text)?.[1] ?? ''
    expect(
      codeOf(await send({ path, query: `partNumber=1&uploadId=${uploadId}`, payloadHash: sha256('a') }, 'a')),
    ).toBe('200')
    const eTag = `&#34;${createHash('md5').update('a').digest('hex')}&#x22;`
    const parts = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${eTag}</ETag></Part></CompleteMultipartUpload>`
    expect(await post(path, `uploadId=${uploadId}`, parts)).toBe('200')
    const names = async (): Promise<readonly unknown[]> => (await rows()).map(({ name }) => name)
    expect(await names()).toContain(key)
    expect(await post('/b', 'delete=', '<Delete><Object><Key>it&#39;s &#38; more</Key></Object></Delete>')).toBe('200')
    expect(await names()).not.toContain(key)
  })

  test.each([
    [
      'a number that is none',
      '<CompleteMultipartUpload><Part><PartNumber>x</PartNumber><ETag>a</ETag></Part></CompleteMultipartUpload>',
    ],
    ['entities', `${bomb}<CompleteMultipartUpload/>`],
    ['too many parts', `<CompleteMultipartUpload>${'<Part/>'.repeat(10_001)}</CompleteMultipartUpload>`],
  ])('that list parts are refused when they have %s', async (_title, body) => {
    const uploadId = '00000000-0000-4000-8000-000000000000'
    expect(await post('/b/a', `uploadId=${uploadId}`, body)).toBe('400 MalformedXML')
  })

  test('name uploads by what they are: an id that is none leads nowhere', async () => {
    for (const id of ['x', '%27%20or%201%3D1', '%00']) {
      const get: Wanted = { method: 'GET', path: '/b/a', query: `uploadId=${id}` }
      expect(codeOf(await send(get))).toBe('404 NoSuchUpload')
    }
  })
})

test('headers that are too large end the request, and nothing else', async () => {
  const huge = { 'x-amz-meta-a': 'a'.repeat(160_000) }
  expect((await send({ path: '/b/a', headers: huge })).status).toBe(431)
  expect(codeOf(await send({ method: 'GET', path: '/b' }))).toBe('200')
})

function flipped(body: Buffer, at: number): Buffer {
  const copy = Buffer.from(body)
  const old = copy[at] ?? 0
  copy[at] = old === 0x30 ? 0x31 : 0x30
  return copy
}
