import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type {
  BucketList,
  BucketPolicy,
  BucketUsages,
  FileDetails,
  FilePreview,
  FileThumbnails,
  FolderPage,
} from '@holdfast/protocol'
import { sql } from '@holdfast/postgres'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { type ConsoleBrowser, openConsoleBrowser, openOperator, openOwner } from './console-world.ts'

// Files in the console: buckets and their limits, folders, links that are logged, and names that are hostile to paths and pages.

let holdfast: Holdfast
let owner: ConsoleBrowser
let developer: ConsoleBrowser
let viewer: ConsoleBrowser

const NO_LIMITS = { isPublic: false, fileSizeLimit: null, allowedMimeTypes: null }

beforeAll(async () => {
  holdfast = await openHoldfast()
  owner = await openOwner(holdfast)
  developer = await openOperator(holdfast, owner, 'developer')
  viewer = await openOperator(holdfast, owner, 'viewer')
  await developer.ask('POST /files/buckets', { name: 'plans', ...NO_LIMITS })
})
afterAll(() => holdfast[Symbol.asyncDispose]())

/** Uploads as a page of the console does. */
async function upload(
  key: string,
  content: string,
  { bucket = 'plans', type = 'text/plain', isReplacement = false } = {},
) {
  const bytes = Buffer.byteLength(content)
  const { path } = await developer.ask<{ path: string }>('POST /files/upload', { bucket, key, isReplacement, bytes })
  return await fetch(`${holdfast.url}${path}`, { method: 'PUT', headers: { 'content-type': type }, body: content })
}

const list = (prefix = '', more = ''): Promise<FolderPage> =>
  developer.ask(`GET /files/list?bucket=plans&prefix=${encodeURIComponent(prefix)}${more}`)

/** A row as an import or a user's SQL may write it: any name, no bytes. */
async function insertRow(key: string, bucket = 'plans'): Promise<void> {
  await holdfast.internal.execute(sql`insert into storage.objects (bucket_id, name) values (${bucket}, ${key})`)
}

async function download(key: string, bucket = 'plans'): Promise<Response> {
  const { path } = await developer.ask<{ path: string }>('POST /files/download', { bucket, key })
  return await fetch(`${holdfast.url}${path}`)
}

interface Entry {
  readonly action: string
  readonly target: string
  readonly operator: string
  readonly before: unknown
  readonly after: unknown
  readonly error: string | null
}

async function lastEntry(action: string): Promise<Entry | undefined> {
  const { entries } = await owner.ask<{ entries: readonly Entry[] }>(`GET /audit?action=${action}&limit=1`)
  return entries[0]
}

describe('buckets', () => {
  test('are created, changed and deleted, each with an audit entry', async () => {
    const limits = { isPublic: true, fileSizeLimit: 10, allowedMimeTypes: ['text/*'] }
    await developer.ask('POST /files/buckets', { name: 'small', ...NO_LIMITS })
    await developer.ask('PATCH /files/buckets/small', limits)
    const { buckets, fileSizeLimit } = await viewer.ask<BucketList>('GET /files/buckets')
    expect(buckets.find(({ id }) => id === 'small')).toMatchObject(limits)
    expect(fileSizeLimit).toBeGreaterThan(0)
    expect(await lastEntry('change_bucket')).toMatchObject({
      operator: 'developer@ops.example',
      target: 'bucket small',
      before: NO_LIMITS,
      after: limits,
    })
    await developer.ask('DELETE /files/buckets/small')
    expect(await lastEntry('delete_bucket')).toMatchObject({ target: 'bucket small', before: limits, error: null })
    expect(await developer.refusal('PATCH /files/buckets/small', limits)).toBe('404 no_such_bucket')
  })

  test('enforce their limits on uploads', async () => {
    const limits = { isPublic: false, fileSizeLimit: 10, allowedMimeTypes: ['text/plain'] }
    await developer.ask('POST /files/buckets', { name: 'tight', ...limits })
    const tooLong = await upload('a.txt', 'eleven bytes', { bucket: 'tight' })
    expect(await tooLong.json()).toMatchObject({ statusCode: '413' })
    const wrongType = await upload('a.html', '<p>', { bucket: 'tight', type: 'text/html' })
    expect(await wrongType.json()).toMatchObject({ statusCode: '415' })
    expect((await upload('a.txt', 'ten bytes.', { bucket: 'tight' })).status).toBe(200)
  })

  test('with files are not deleted until they are emptied', async () => {
    await developer.ask('POST /files/buckets', { name: 'full', ...NO_LIMITS })
    await upload('a/b.txt', 'x', { bucket: 'full' })
    expect(await developer.refusal('DELETE /files/buckets/full')).toBe('409 ResourceNotEmpty')
    expect(await lastEntry('delete_bucket')).toMatchObject({ target: 'bucket full', error: expect.any(String) })
    await developer.ask('POST /files/buckets/full/empty')
    await expect
      .poll(() => developer.call('DELETE /files/buckets/full').then(({ status }) => status), { timeout: 10_000 })
      .toBe(200)
  })

  test('refuse a limit above the server’s, and a name that is no name', async () => {
    const huge = { ...NO_LIMITS, fileSizeLimit: 10 ** 15 }
    expect(await developer.refusal('POST /files/buckets', { name: 'huge', ...huge })).toBe('413 EntityTooLarge')
    for (const name of ['a/b', '<img onerror=alert(1)>', 'naïve', ' padded '])
      expect(await developer.refusal('POST /files/buckets', { name, ...NO_LIMITS }), name).toBe('400 InvalidBucketName')
  })

  test('report files and bytes from Postgres, also of rows without metadata', async () => {
    await developer.ask('POST /files/buckets', { name: 'counted', ...NO_LIMITS })
    await upload('one.txt', '12345', { bucket: 'counted' })
    await upload('two.txt', '123', { bucket: 'counted' })
    await insertRow('three', 'counted')
    await holdfast.internal.execute(
      sql`insert into storage.objects (bucket_id, name, metadata) values ('counted', 'four', '{"size": "many"}')`,
    )
    const { usages } = await viewer.ask<BucketUsages>('GET /files/usages')
    expect(usages?.['counted']).toEqual({ files: 4, bytes: 8 })
  })

  test('show the policies of files, with the bucket that their text names', async () => {
    for (const statement of [
      sql`create policy "plans of all" on storage.objects for select using (bucket_id = 'plans')`,
      sql`create policy "others" on storage.objects for select using (bucket_id in ('x', 'y'))`,
      sql`create policy "own" on storage.objects for delete using (owner_id = auth.uid()::text)`,
    ])
      await holdfast.admin.execute(statement)
    const { policies } = await viewer.ask<{ policies: readonly BucketPolicy[] }>('GET /files/policies?bucket=plans')
    const scopes = Object.fromEntries(policies.map(({ name, scope }) => [name, scope]))
    expect(scopes).toMatchObject({ 'plans of all': 'this', others: 'others', own: 'any' })
  })
})

describe('folders', () => {
  test('are read one level at a time, by prefix', async () => {
    for (const key of ['site/a.txt', 'site/b/c.txt', 'site/b/d.txt', 'sites.txt']) await upload(key, key)
    const top = await list('si')
    expect(top.folders).toEqual(['site/'])
    expect(top.files.map(({ key }) => key)).toEqual(['sites.txt'])
    const site = await list('site/')
    expect(site.folders).toEqual(['site/b/'])
    expect(site.files).toMatchObject([{ key: 'site/a.txt', bytes: 10, mimeType: 'text/plain' }])
    expect((await list('site/b/d')).files.map(({ key }) => key)).toEqual(['site/b/d.txt'])
  })

  test('are read in pages by key, each entry once', async () => {
    await holdfast.internal.execute(sql`
      insert into storage.objects (bucket_id, name)
      select 'plans', 'many/' || lpad(n::text, 4, '0') || case when n % 2 = 0 then '/x' else '' end from generate_series(1, 250) n`)
    const names: string[] = []
    let page = await list('many/')
    let pages = 1
    for (; ; pages += 1) {
      names.push(...page.folders, ...page.files.map(({ key }) => key))
      if (page.next === undefined || pages > 10) break
      page = await list('many/', `&after=${encodeURIComponent(page.next)}`)
    }
    expect(pages).toBe(3)
    expect(new Set(names).size).toBe(250)
    expect(names).toHaveLength(250)
    expect(await developer.refusal('GET /files/list?bucket=plans&after=no-position')).toBe('400 InvalidParameter')
  })

  test('are counted and deleted with the files at any depth, and nothing beside them', async () => {
    for (const key of ['old/a.txt', 'old/deep/b.txt', 'older.txt']) await upload(key, 'four')
    await insertRow('old%/c.txt')
    expect(await viewer.ask('GET /files/folder?bucket=plans&folder=old/')).toEqual({
      files: 2,
      bytes: 8,
      filesMax: 1_000,
    })
    const old = { bucket: 'plans', folder: 'old/' }
    expect(await viewer.refusal('POST /files/delete-folder', old)).toBe('403 role_too_low')
    expect(await developer.ask('POST /files/delete-folder', old)).toEqual({ deleted: 2 })
    expect(await lastEntry('delete_folder')).toMatchObject({
      target: 'folder plans/old/',
      before: { files: 2 },
      after: { deleted: 2 },
    })
    expect([...(await list('old')).folders, ...(await list('old')).files.map(({ key }) => key)]).toEqual([
      'old%/',
      'older.txt',
    ])
    expect(await developer.refusal('POST /files/delete-folder', { bucket: 'plans', folder: 'old' })).toBe(
      '400 invalid_request',
    )
  })

  test('with too many files are not deleted', async () => {
    await holdfast.internal.execute(sql`
      insert into storage.objects (bucket_id, name) select 'plans', 'crowd/' || n from generate_series(1, 1001) n`)
    const crowd = { bucket: 'plans', folder: 'crowd/' }
    expect(await developer.refusal('POST /files/delete-folder', crowd)).toBe('409 folder_too_large')
    expect(await viewer.ask('GET /files/folder?bucket=plans&folder=crowd/')).toMatchObject({ files: 1_001 })
  })

  test('of a bucket that is not there are refused', async () => {
    expect(await developer.refusal('GET /files/list?bucket=nowhere')).toBe('404 no_such_bucket')
  })
})

describe('files', () => {
  test('are moved and deleted, each with an audit entry', async () => {
    await upload('old.txt', 'content')
    expect(
      await developer.ask('POST /files/move', { bucket: 'plans', key: 'old.txt', to: 'deep/new.txt' }),
    ).toMatchObject({
      key: 'deep/new.txt',
      bytes: 7,
    })
    expect(await lastEntry('move_file')).toMatchObject({
      target: 'file plans/old.txt',
      before: { key: 'old.txt' },
      after: { key: 'deep/new.txt' },
    })
    await upload('taken.txt', 'x')
    const onto = { bucket: 'plans', key: 'taken.txt', to: 'deep/new.txt' }
    expect(await developer.refusal('POST /files/move', onto)).toBe('409 KeyAlreadyExists')
    const keys = ['deep/new.txt', 'taken.txt', 'was never there']
    expect(await developer.ask('POST /files/delete', { bucket: 'plans', keys })).toEqual({ deleted: 2 })
    expect(await lastEntry('delete_files')).toMatchObject({ before: { keys }, after: { deleted: 2 } })
  })

  test('are replaced only if asked', async () => {
    await upload('once.txt', 'first')
    const again = { bucket: 'plans', key: 'once.txt', isReplacement: false, bytes: 6 }
    expect(await developer.refusal('POST /files/upload', again)).toBe('409 KeyAlreadyExists')
    expect((await upload('once.txt', 'second', { isReplacement: true })).status).toBe(200)
    expect(await (await download('once.txt')).text()).toBe('second')
  })

  test('are downloaded and shared by links that are logged', async () => {
    await upload('letter.txt', 'Dear all')
    const response = await download('letter.txt')
    expect(await response.text()).toBe('Dear all')
    expect(response.headers.get('content-disposition')).toMatch(/^attachment/)
    expect(await lastEntry('download_file')).toMatchObject({ target: 'file plans/letter.txt', error: null })

    const shared = { bucket: 'plans', key: 'letter.txt', seconds: 1 }
    const { url } = await developer.ask<{ url: string }>('POST /files/sign', shared)
    expect(url.startsWith(holdfast.url)).toBe(true)
    expect(await (await fetch(url)).text()).toBe('Dear all')
    expect(await lastEntry('sign_file_url')).toMatchObject({ after: { seconds: 1 } })
    await expect.poll(() => fetch(url).then(({ status }) => status), { timeout: 5_000 }).toBe(400)
    expect(await developer.refusal('POST /files/sign', { ...shared, seconds: 10 ** 9 })).toBe('400 invalid_request')
  })

  test('of other types than raster images have no thumbnail, and HTML is served as text', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    const { path } = await developer.ask<{ path: string }>('POST /files/upload', {
      bucket: 'plans',
      key: 'dot.png',
      isReplacement: false,
      bytes: png.length,
    })
    await fetch(`${holdfast.url}${path}`, { method: 'PUT', headers: { 'content-type': 'image/png' }, body: png })
    await upload('page.html', '<script>alert(1)</script>', { type: 'text/html' })
    await upload('drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', { type: 'image/svg+xml' })
    const preview = (key: string): Promise<FilePreview> =>
      developer.ask('POST /files/preview', { bucket: 'plans', key })
    const drawn = await preview('dot.png')
    const thumbnail = await fetch(`${holdfast.url}${drawn.thumbnailPath}`)
    expect(thumbnail.headers.get('content-type')).toMatch(/^image\//)
    const keys = ['dot.png', 'drawing.svg', 'page.html', 'nothing.png']
    const { thumbnails } = await developer.ask<FileThumbnails>('POST /files/thumbnails', { bucket: 'plans', keys })
    expect(Object.keys(thumbnails)).toEqual(['dot.png'])
    const small = await fetch(`${holdfast.url}${thumbnails['dot.png']}`)
    expect(small.headers.get('content-type')).toMatch(/^image\//)
    expect(await lastEntry('preview_files')).toMatchObject({ after: { keys: ['dot.png'] } })
    expect((await preview('drawing.svg')).thumbnailPath).toBeUndefined()
    const page = await preview('page.html')
    expect(page.thumbnailPath).toBeUndefined()
    expect((await fetch(`${holdfast.url}${page.path}`)).headers.get('content-type')).toBe('text/plain')
    expect(await lastEntry('preview_file')).toMatchObject({ target: 'file plans/page.html' })
  })

  test('that are large are streamed, whole', async () => {
    const content = 'x'.repeat(12 * 1024 * 1024)
    expect((await upload('large.txt', content)).status).toBe(200)
    expect((await (await download('large.txt')).arrayBuffer()).byteLength).toBe(content.length)
  })
})

describe('names', () => {
  const HOSTILE = [
    '../../bucket/plans',
    '..',
    'a/../../../auth/v1/admin/users',
    '"quoted" \'twice\'',
    '🗺️ plan of Übersee.png',
    '<img src=x onerror=alert(1)>.txt',
    `${'x'.repeat(1_020)}.txt`,
    'a%2e%2e/b?c#d',
    'a//b\\c',
  ]
  test.each(HOSTILE)('%s is listed, described, moved and deleted', async (key) => {
    await insertRow(key)
    expect(
      await developer.ask<FileDetails>(`GET /files/details?bucket=plans&key=${encodeURIComponent(key)}`),
    ).toMatchObject({
      key,
    })
    const to = `moved/${HOSTILE.indexOf(key)}.txt`
    await developer.ask('POST /files/move', { bucket: 'plans', key, to })
    expect(await developer.ask('POST /files/delete', { bucket: 'plans', keys: [to] })).toEqual({ deleted: 1 })
  })

  test.each(HOSTILE.filter((key) => key !== '..'))('%s is downloaded by its own path', async (key) => {
    await upload('source.txt', key, { isReplacement: true })
    // Bytes under a name that the API would not accept.
    await holdfast.internal.execute(
      sql`update storage.objects set name = ${key} where bucket_id = 'plans' and name = 'source.txt'`,
    )
    expect(await (await download(key)).text()).toBe(key)
    await developer.ask('POST /files/delete', { bucket: 'plans', keys: [key] })
  })

  test('that no address can contain are refused for links, and other APIs are never reached', async () => {
    await insertRow('..')
    expect(await developer.refusal('POST /files/download', { bucket: 'plans', key: '..' })).toBe('400 invalid_request')
    await holdfast.internal.execute(sql`insert into storage.buckets (id, name) values ('..', '..')`)
    expect(await developer.refusal('GET /files/list?bucket=..')).toBe('400 invalid_request')
    expect(await developer.refusal('POST /files/delete', { bucket: '..', keys: ['x'] })).toBe('400 invalid_request')
  })

  test('of uploads follow the rules of the storage API', async () => {
    const refused = async (key: string): Promise<string> =>
      await developer.refusal('POST /files/upload', { bucket: 'plans', key, isReplacement: false, bytes: 1 })
    for (const key of ['🗺️.png', '<b>.txt', 'x'.repeat(1_025)]) expect(await refused(key), key).toBe('400 InvalidKey')
    expect(await refused('a\0b')).toBe('400 invalid_request')
    expect((await upload('../escape.txt', 'inside')).status).toBe(200)
    expect(await (await download('../escape.txt')).text()).toBe('inside')
  })
})

describe('others', () => {
  const WRITES: readonly [string, object][] = [
    ['POST /files/buckets', { name: 'x', ...NO_LIMITS }],
    ['PATCH /files/buckets/plans', NO_LIMITS],
    ['POST /files/buckets/plans/empty', {}],
    ['DELETE /files/buckets/plans', {}],
    ['POST /files/upload', { bucket: 'plans', key: 'x', isReplacement: false, bytes: 1 }],
    ['POST /files/move', { bucket: 'plans', key: 'x', to: 'y' }],
    ['POST /files/delete', { bucket: 'plans', keys: ['x'] }],
    ['POST /files/preview', { bucket: 'plans', key: 'x' }],
    ['POST /files/download', { bucket: 'plans', key: 'x' }],
    ['POST /files/sign', { bucket: 'plans', key: 'x', seconds: 1 }],
  ]
  const READS = ['buckets', 'usages', 'policies?bucket=plans', 'list?bucket=plans', 'details?bucket=plans&key=x']

  test('viewers see metadata, without what clients attached, and neither read nor change contents', async () => {
    await upload('seen.txt', 'x')
    await holdfast.internal.execute(
      sql`update storage.objects set user_metadata = '{"phone": "1"}' where name = 'seen.txt'`,
    )
    const target = 'GET /files/details?bucket=plans&key=seen.txt'
    expect(await developer.ask<FileDetails>(target)).toMatchObject({ userMetadata: { phone: '1' } })
    expect(await viewer.ask<FileDetails>(target)).not.toHaveProperty('userMetadata')
    for (const [write, body] of WRITES) expect(await viewer.refusal(write, body), write).toBe('403 role_too_low')
  })

  test('without an operator’s session nothing is read or changed, whatever the key', async () => {
    const browser = openConsoleBrowser(holdfast)
    const keys = [
      {},
      ...[holdfast.anonKey, holdfast.serviceRoleKey].map((apikey) => ({ apikey, authorization: `Bearer ${apikey}` })),
    ]
    for (const headers of keys) {
      for (const [write, body] of WRITES)
        expect(await browser.refusal(write, body, headers), write).toBe('401 not_signed_in')
      for (const read of READS)
        expect(await browser.refusal(`GET /files/${read}`, undefined, headers), read).toBe('401 not_signed_in')
    }
  })
})
