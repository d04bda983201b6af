import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStorageWorld, type Answer, type StorageWorld, type Who } from './storage-world.ts'

// Valid but excessive requests: each is bounded, refused in storage-js's terms, and affects no other user.

let world: StorageWorld

beforeAll(async () => {
  world = await openStorageWorld()
  await world.run(`
    insert into storage.buckets (id, name, public) values ('box', 'box', true), ('names', 'names', false), ('long', 'long', false);
    create policy everything on storage.objects for all to authenticated using (true) with check (true)`)
  await put('digits', '0123456789')
})
afterAll(() => world[Symbol.asyncDispose]())

async function put(key: string, payload: string | Buffer, who: Who = 'service'): Promise<Answer> {
  return world.request(who, {
    method: 'POST',
    url: `/object/box/${key}`,
    payload,
    headers: { 'content-type': 'text/plain' },
  })
}

async function post(url: string, payload: object, who: Who = 'service'): Promise<Answer> {
  return world.request(who, { method: 'POST', url, payload })
}

const codeOf = ({ body }: Answer): unknown => (body as { code?: unknown } | undefined)?.code

/** Creates rows with SQL, which allows more characters than the API. */
async function makeRows(bucket: string, names: readonly string[]): Promise<void> {
  const rows = names.map((name) => `('${bucket}', '${name.replaceAll("'", "''")}', '{}')`)
  await world.run(`insert into storage.objects (bucket_id, name, metadata) values ${rows.join(',')}`)
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

/** Expected names from Postgres, in list order. */
async function namesOf(bucket: string): Promise<readonly string[]> {
  const rows = await world.run(
    `select name from storage.objects where bucket_id = '${bucket}' order by name collate "C"`,
  )
  return rows.map(({ name }) => String(name))
}

describe('ranges', () => {
  const get = (range: string): Promise<Answer> =>
    world.request('nobody', { method: 'GET', url: '/object/public/box/digits', headers: { range } })

  test.each([
    [
      'thousands of them',
      `bytes=${Array.from({ length: 5_000 }, (_unused, index) => `${index % 9}-${index % 9}`).join(',')}`,
    ],
    ['thousands that overlap', `bytes=${'0-,'.repeat(5_000)}0-`],
    ['numbers of thousands of digits', `bytes=${'9'.repeat(5_000)}-${'9'.repeat(5_000)}`],
    ['a suffix of thousands of digits', `bytes=-${'9'.repeat(5_000)}`],
    ['an end that is no number of JavaScript', `bytes=0-${'9'.repeat(400)}`],
    ['spaces without end', `bytes=${' '.repeat(10_000)}0-1`],
  ])('%s are refused', async (_what, range) => {
    const answer = await get(range)
    expect([answer.status, answer.headers['content-range'], codeOf(answer)]).toEqual([
      416,
      'bytes */10',
      'InvalidRange',
    ])
  })

  test('many at once of one object are each answered with their own', async () => {
    const wanted = Array.from({ length: 200 }, (_unused, index) => index % 10)
    const answers = await Promise.all(wanted.map((at) => get(`bytes=${at}-${at}`)))
    expect(answers.map(({ text }) => text)).toEqual(wanted.map(String))
  })

  test('in a header that is larger than any are refused before they are read', async () => {
    const { hostname, port, pathname } = new URL(world.url)
    const status = await new Promise<number | undefined>((resolve, reject) => {
      httpRequest({
        hostname,
        port,
        path: `${pathname}/object/public/box/digits`,
        headers: { range: `bytes=${'0-0,'.repeat(40_000)}0-0` },
      })
        .on('error', reject)
        .on('response', (response) => {
          response.resume()
          resolve(response.statusCode)
        })
        .end()
    })
    expect(status).toBe(431)
  })
})

const COLUMNS = ['name', 'created_at', 'updated_at'] as const

/** Every list route: URL, and body properties beside prefix and page. */
const LISTS: readonly (readonly [title: string, url: string, body: object])[] = [
  ...[...COLUMNS, 'last_accessed_at'].map(
    (column) => [`list by ${column}`, '/object/list', { sortBy: { column } }] as const,
  ),
  ...COLUMNS.flatMap((column) =>
    [true, false].map(
      (with_delimiter) =>
        [
          `listV2 by ${column}${with_delimiter ? ' of one level' : ''}`,
          '/object/list-v2',
          { with_delimiter, sortBy: { column } },
        ] as const,
    ),
  ),
]

/** Returned names, folders with a slash. */
function listed({ body }: Answer): readonly string[] {
  if (Array.isArray(body))
    return (body as { id: string | null; name: string }[]).map((one) => one.name + (one.id === null ? '/' : ''))
  const { folders, objects } = body as { folders: { name: string }[]; objects: { name: string }[] }
  return [...folders, ...objects].map(({ name }) => name)
}

describe.each(LISTS)('%s', (_title, url, more) => {
  beforeAll(async () => {
    if ((await namesOf('names')).length === 0)
      await makeRows('names', ['a_b/one', 'axb/two', 'a%b/three', 'a\\b/four', 'A_B/five', 'a_b.txt', 'axb.txt'])
  })
  const list = (payload: object): Promise<Answer> => post(`${url}/names`, { ...more, ...payload })

  test.each([
    ['1 MB', 'x'.repeat(1_000_000)],
    ['500,000 slashes', '/'.repeat(500_000)],
    ['5,000 folders', 'a/'.repeat(2_500)],
    ['1 MB of wildcards', '%_\\'.repeat(333_333)],
    ['the last character of all', 'a\u{10ffff}'],
    ['the last one before the surrogates', 'a\u{d7ff}'],
    ['half a surrogate', 'a\u{d800}'],
  ])('finds nothing by a prefix of %s', async (_what, prefix) => {
    const answer = await list({ prefix })
    expect([answer.status, listed(answer)]).toEqual([200, []])
  })

  test('takes no character of a prefix for a pattern', async () => {
    const full = url.endsWith('v2')
    for (const [prefix, name] of [
      ['a_b/', 'one'],
      ['a%b/', 'three'],
      ['a\\b/', 'four'],
    ] as const) {
      const names = listed(await list({ prefix })).filter((one) => !full || !one.startsWith('A'))
      // `list` compares case-insensitively.
      expect(names.filter((one) => one !== 'five')).toEqual([full ? prefix + name : name])
    }
  })

  test('refuses a prefix with a NUL', async () => {
    expect(codeOf(await list({ prefix: 'a\0b' }))).toBe('InvalidParameter')
  })

  test('has pages of a bounded size, whatever is asked for', async () => {
    for (const limit of [1_001, 2_147_483_648, Number.MAX_SAFE_INTEGER]) {
      const answer = await list({ prefix: '', limit })
      expect([limit, answer.status, listed(answer).length > 0]).toEqual([limit, 200, true])
    }
    for (const limit of [0, -1, 1.5, 'x'])
      expect([limit, codeOf(await list({ prefix: '', limit }))]).toEqual([limit, 'InvalidRequest'])
  })
})

describe('a search', () => {
  test.each(['%', '_', '\\', '%%%%', 'a_b.', 'x'.repeat(1_000_000), '/'.repeat(500_000), 'a\u{10ffff}'])(
    'is for a beginning, and for no pattern',
    async (search) => {
      const expected = search === 'a_b.' ? ['a_b.txt'] : []
      for (const column of [...COLUMNS, 'last_accessed_at']) {
        const answer = await post('/object/list/names', { prefix: '', search, sortBy: { column } })
        expect([answer.status, listed(answer)]).toEqual([200, expected])
      }
    },
  )

  test('goes no further than there are rows, however large the offset', async () => {
    const answer = await post('/object/list/names', { prefix: '', offset: 2_147_483_647 })
    expect([answer.status, answer.body]).toEqual([200, []])
    expect(codeOf(await post('/object/list/names', { prefix: '', offset: 2_147_483_648 }))).toBe('InvalidRequest')
  })

  test('for buckets is bounded, too', async () => {
    const get = (query: string): Promise<Answer> => world.request('service', { method: 'GET', url: `/bucket?${query}` })
    for (const query of [
      'limit=99999999999999999999',
      'offset=99999999999999999999',
      'limit=1e300',
      'limit=0',
      'sortColumn=owner',
    ])
      expect([query, codeOf(await get(query))]).toEqual([query, 'InvalidRequest'])
    expect((await get(`limit=${Number.MAX_SAFE_INTEGER}`)).status).toBe(200)
    for (const search of ['%25', '_', '%5C', '%25'.repeat(3_000)])
      expect([search, (await get(`search=${search}`)).body]).toEqual([search, []])
  })
})

describe('pages', () => {
  // Names that sort between an object and a folder of the same name: `-` and `.` come before `/`.
  const NAMES = ['a', 'a!', 'a-1', 'a.txt', 'a/1', 'a/2', 'a0', 'b', 'b-1', 'b.txt', 'c/1', 'c//2', 'd']

  beforeAll(async () => {
    await world.run(`insert into storage.buckets (id, name) values ('pages', 'pages'), ('cases', 'cases')`)
    await makeRows('pages', NAMES)
    // Odd, so that a batch ends between two names that differ only in case.
    await makeRows('cases', ['a', ...Array.from({ length: 80 }, (_unused, n) => [`F${100 + n}`, `f${100 + n}`]).flat()])
    await makeRows('long', [
      'a',
      ...Array.from({ length: 120 }, (_unused, index) => 1_000 + index).flatMap((n) => [`f${n}`, `f${n}-x`]),
    ])
  })

  /** Expected entries one level below a prefix, from the rows. */
  async function entriesBelow(prefix: string): Promise<readonly string[]> {
    const below = (await namesOf('pages')).filter((name) => name.startsWith(prefix))
    return [
      ...new Set(
        below.map((name) => {
          const rest = name.slice(prefix.length)
          const at = rest.indexOf('/')
          return at < 0 ? rest : rest.slice(0, at + 1)
        }),
      ),
    ]
  }

  test.each([
    ['asc', 1],
    ['asc', 2],
    ['desc', 1],
    ['desc', 3],
  ] as const)('of one level, %s by %i, lose no name and have none twice', async (order, limit) => {
    for (const prefix of ['', 'a', 'c/']) {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const answer = await post('/object/list-v2/pages', {
          prefix,
          limit,
          cursor,
          with_delimiter: true,
          sortBy: { column: 'name', order },
        })
        seen.push(...listed(answer))
        cursor = (answer.body as { nextCursor?: string }).nextCursor
      } while (cursor !== undefined)
      const full = (await entriesBelow(prefix)).map((name) => prefix + name)
      expect([prefix, seen.toSorted()]).toEqual([prefix, full.toSorted()])
    }
  })

  test.each(['asc', 'desc'] as const)('of the first form of the call, %s, have each name once', async (order) => {
    for (const prefix of ['', 'a/', 'c/']) {
      const seen: string[] = []
      for (let offset = 0; seen.length === offset; offset += 1)
        seen.push(
          ...listed(await post('/object/list/pages', { prefix, limit: 1, offset, sortBy: { column: 'name', order } })),
        )
      const found = await entriesBelow(prefix)
      expect([prefix, seen]).toEqual([prefix, order === 'asc' ? found : found.toReversed()])
    }
  })

  test('by offset lose no name where Postgres reads the next rows', async () => {
    const seen: string[] = []
    for (let offset = 0; seen.length === offset; offset += 25)
      seen.push(...listed(await post('/object/list/long', { prefix: '', limit: 25, offset })))
    expect(seen).toEqual(await namesOf('long'))
  })

  test.each([
    ['name', 'asc'],
    ['name', 'desc'],
    ['created_at', 'asc'],
    ['updated_at', 'desc'],
  ] as const)('by %s, %s, have names that differ in case and objects of one time once each', async (column, order) => {
    const seen: string[] = []
    const sortBy = { column, order }
    for (let offset = 0; seen.length === offset; offset += 25)
      seen.push(...listed(await post('/object/list/cases', { prefix: '', limit: 25, offset, sortBy })))
    const byBytes = await namesOf('cases')
    const rows = column === 'name' ? byBytes.toSorted((a, b) => compare(a.toLowerCase(), b.toLowerCase())) : byBytes
    expect(seen).toEqual(order === 'asc' ? rows : rows.toReversed())
  })
})

describe('a cursor', () => {
  const render = (...lines: string[]): string => Buffer.from(lines.join('\n')).toString('base64')

  test.each([
    ['nothing', ''],
    ['no base64', '!!!'],
    ['no name', render('o:asc')],
    ['a NUL', render('l:a\0')],
    ['another order', render('l:a', 'o:asc; drop table storage.objects')],
    ['another column', render('l:a', 'c:metadata')],
    ['1 MB', render(`l:${'x'.repeat(1_000_000)}`)],
    ['no time', render('l:a', 'c:created_at', 'a:yesterday')],
    ['a time of Postgres', render('l:a', 'c:created_at', 'a:infinity')],
    ['a time of JavaScript', render('l:a', 'c:created_at', 'a:Sat, 01 Jan 2000 00:00:00 GMT (x)')],
    ['a number', render('l:a', 'c:created_at', 'a:1')],
    ['a day that there is not', render('l:a', 'c:created_at', 'a:2020-02-31T00:00:00.000Z')],
    ['the year 0', render('l:a', 'c:created_at', 'a:0000-01-01T00:00:00.000Z')],
    ['a year far away', render('l:a', 'c:created_at', 'a:+275760-09-13T00:00:00.000Z')],
  ])('of %s is refused', async (_what, cursor) => {
    for (const with_delimiter of [true, false])
      expect(codeOf(await post('/object/list-v2/pages', { prefix: '', cursor, with_delimiter }))).toBe(
        'InvalidParameter',
      )
  })

  test.each([
    ['name', "'; drop table storage.objects; --"],
    ['name', '%_\\'],
    ['created_at', 'x'],
  ])('that was changed shows what policies show, by %s behind %s', async (column, name) => {
    const cursor = render(`l:${name}`, 'o:asc', `c:${column}`)
    for (const with_delimiter of [true, false]) {
      const answer = await post('/object/list-v2/pages', { prefix: '', cursor, with_delimiter })
      const all = await namesOf('pages')
      expect([answer.status, listed(answer).every((one) => all.some((key) => key.startsWith(one)))]).toEqual([
        200,
        true,
      ])
      expect(listed(await post('/object/list-v2/pages', { prefix: '', cursor, with_delimiter }, 'anon'))).toEqual([])
    }
  })
})

describe('thousands of names in one call', () => {
  const names = (count: number): readonly string[] => Array.from({ length: count }, (_unused, index) => `n${index}`)

  test('are not deleted', async () => {
    const remove = (prefixes: readonly string[]): Promise<Answer> =>
      world.request('service', { method: 'DELETE', url: '/object/pages', payload: { prefixes } })
    const before = await namesOf('pages')
    for (const count of [1_001, 100_000])
      expect(codeOf(await remove([...before, ...names(count)]))).toBe('InvalidRequest')
    expect(codeOf(await remove(names(300_000)))).toBe('EntityTooLarge')
    expect(codeOf(await remove([]))).toBe('InvalidRequest')
    expect(await namesOf('pages')).toEqual(before)
  })

  test('get no addresses', async () => {
    const sign = (count: number): Promise<Answer> => post('/object/sign/pages', { expiresIn: 60, paths: names(count) })
    expect(codeOf(await sign(1_001))).toBe('InvalidRequest')
    const { status, body } = await sign(1_000)
    expect([status, (body as unknown[]).length]).toEqual([200, 1_000])
  })

  test('and a time without end is none', async () => {
    for (const expiresIn of [0, -1, 1.5, 3_155_760_001, Number.MAX_SAFE_INTEGER, '1e99'])
      for (const url of ['/object/sign/pages/a', '/object/sign/pages'])
        expect([url, expiresIn, codeOf(await post(url, { expiresIn, paths: ['a'] }))]).toEqual([
          url,
          expiresIn,
          'InvalidRequest',
        ])
  })
})

describe('metadata', () => {
  const upload = (metadata: string): Promise<Answer> =>
    world.request('service', {
      method: 'PUT',
      url: '/object/box/described',
      payload: 'x',
      headers: { 'content-type': 'text/plain', 'x-metadata': Buffer.from(metadata).toString('base64') },
    })
  const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`

  test.each([
    ['nested 501 deep', nested(501), 'InvalidRequest'],
    ['nested 400,000 deep', nested(400_000), 'InvalidRequest'],
    ['that opens and never closes', '{"a":'.repeat(100_000), 'InvalidRequest'],
    ['with a NUL', '{"a":"\\u0000"}', 'InvalidParameter'],
    ['of more than 1 MiB', JSON.stringify({ a: 'x'.repeat(1024 * 1024) }), 'EntityTooLarge'],
  ])('%s is refused', async (_what, metadata, code) => {
    const answer = await upload(metadata)
    expect([answer.status, codeOf(answer)]).toEqual([400, code])
  })

  test('is kept as deep as it may be, and as odd as JSON is', async () => {
    for (const metadata of [nested(500), '{"a":"]]]}}}[[[{{{\\"[","__proto__":{"x":1},"n":1e308}']) {
      expect((await upload(metadata)).status).toBe(200)
      const { body } = await world.request('service', { method: 'GET', url: '/object/info/box/described' })
      expect((body as { metadata: unknown }).metadata).toEqual(JSON.parse(metadata))
    }
  })

  const part = (name: string, value: string): string =>
    `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const file =
    '--x\r\ncontent-disposition: form-data; name=""; filename="f"\r\ncontent-type: text/plain\r\n\r\nbytes\r\n--x--\r\n'
  const form = (fields: readonly string[], url = '/object/box/form'): Promise<Answer> =>
    world.request('service', {
      method: 'POST',
      url,
      payload: fields.join('') + file,
      headers: { 'content-type': 'multipart/form-data; boundary=x', 'x-upsert': 'true' },
    })
  const MIB = 'x'.repeat(1024 * 1024)

  test.each([
    ['of 1 MiB each', [1, 2, 3].map((n) => part(`f${n}`, MIB)), 'EntityTooLarge'],
    ['with metadata of 2 MiB', [part('metadata', MIB + MIB)], 'EntityTooLarge'],
    ['nested deeply', [part('metadata', nested(400_000))], 'InvalidRequest'],
  ])('in fields of a form %s is refused', async (_what, fields, code) => {
    expect(codeOf(await form(fields))).toBe(code)
    expect(await world.run(`select from storage.objects where name = 'form'`)).toEqual([])
  })

  test('in many small fields of a form costs nothing', async () => {
    expect((await form(Array.from({ length: 5_000 }, (_unused, index) => part(`f${index}`, 'x')))).status).toBe(200)
  })

  test('in a form of S3, which anyone may send, has 20 kB', async () => {
    const answer = await form([part('key', 'k'), part('policy', 'x'.repeat(21_000))], '/s3/box')
    expect([answer.status, answer.text]).toEqual([413, expect.stringContaining('<Code>EntityTooLarge</Code>')])
  })
})

test('who asks for much costs no other user', async () => {
  const flood = LISTS.flatMap(([, url, more]) =>
    ['', 'a/'.repeat(2_000), '%_\\'.repeat(1_000)].map(
      (prefix) => () => post(`${url}/long`, { ...more, prefix, limit: 1_000 }, 'alice'),
    ),
  )
  const answers: Answer[] = []
  const flooding = Promise.all(
    [...flood, ...flood, ...flood, ...flood].map(async (send) => {
      answers.push(await send())
    }),
  )
  for (let round = 0; round < 5; round++) {
    const key = `of-bob-${round}`
    expect((await put(key, 'x', 'bob')).status).toBe(200)
    expect((await world.request('bob', { method: 'GET', url: `/object/box/${key}` })).text).toBe('x')
  }
  await flooding
  // Everything beyond the limit was refused with SlowDown.
  expect(answers.filter((answer) => answer.status !== 200 && codeOf(answer) !== 'SlowDown')).toEqual([])
})
