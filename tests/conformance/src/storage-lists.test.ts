import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderOf, openStorageWorld, type StorageWorld } from './storage-world.ts'

let world: StorageWorld

beforeAll(async () => {
  world = await openStorageWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

type Bucket = ReturnType<StorageWorld['service']['from']>

describe('file.list', () => {
  beforeAll(async () => {
    for (const name of ['b.txt', 'a.txt', 'sub/deep.txt', 'A-upper.txt', 'x_y.txt', 'x1y.txt'])
      await world.service.from('pages').upload(`listed/${name}`, name)
  })
  const names = async (...args: Parameters<Bucket['list']>): Promise<string[]> =>
    ((await world.service.from('pages').list(...args)).data ?? []).map(({ name }) => name)

  test('lists one level, with folders that have no id', async () => {
    const { data } = await world.service.from('pages').list('listed')
    expect(data?.map(({ name }) => name)).toEqual(
      ['A-upper.txt', 'a.txt', 'b.txt', 'sub', 'x1y.txt', 'x_y.txt'].toSorted((a, b) =>
        a.toLowerCase() < b.toLowerCase() ? -1 : 1,
      ),
    )
    expect(data?.find(({ name }) => name === 'sub')).toMatchObject({ id: null, metadata: null })
    expect(data?.find(({ name }) => name === 'b.txt')?.metadata).toMatchObject({
      size: 5,
      mimetype: expect.stringContaining('text/plain') as string,
    })
  })

  test('pages, sorts and searches', async () => {
    expect(await names('listed', { limit: 2, offset: 1, sortBy: { column: 'name', order: 'asc' } })).toHaveLength(2)
    expect(
      (await names('listed', { sortBy: { column: 'created_at', order: 'asc' } })).filter((name) => name !== 'sub')[0],
    ).toBe('b.txt')
    expect(await names('listed', { search: 'x_' })).toEqual(['x_y.txt'])
    expect(await names('listed/sub')).toEqual(['deep.txt'])
  })

  test('returns an empty list for huge prefixes and searches', async () => {
    for (const text of ['x'.repeat(1_000_000), 'a/'.repeat(250_000), '%_'.repeat(100_000)]) {
      expect((await world.service.from('pages').list(text)).data).toEqual([])
      expect((await world.service.from('pages').list('listed', { search: text })).data).toEqual([])
    }
  })

  test('returns an empty list to other users', async () => {
    const mine = await folderOf(world.alice)
    await world.alice.storage.from('photos').upload(`${mine}/x.txt`, 'x')
    expect((await world.alice.storage.from('photos').list(mine)).data).toHaveLength(1)
    expect((await world.bob.storage.from('photos').list(mine)).data).toEqual([])
  })
})

describe('file.listV2', () => {
  beforeAll(async () => {
    await world.service.createBucket('paged')
    // `b-1` and `b.txt` sort between the object `b` and the folder `b/`.
    for (const name of ['a/1', 'a/2', 'b', 'b-1', 'b.txt', 'b/1', 'c', 'deep/er/1'])
      await world.service.from('paged').upload(name, name)
  })

  test.each([
    ['whole names', false, ['a/1', 'a/2', 'b', 'b-1', 'b.txt', 'b/1', 'c', 'deep/er/1']],
    ['folders', true, ['a/', 'b', 'b-1', 'b.txt', 'b/', 'c', 'deep/']],
  ])('pages through %s', async (_what, with_delimiter, expected) => {
    for (const order of ['asc', 'desc'] as const) {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const { data, error } = await world.service
          .from('paged')
          .listV2({ limit: 2, with_delimiter, sortBy: { column: 'name', order }, ...(cursor && { cursor }) })
        expect(error).toBeNull()
        seen.push(...[...(data?.folders ?? []), ...(data?.objects ?? [])].map(({ name }) => name).toSorted())
        cursor = data?.hasNext ? data.nextCursor : undefined
      } while (cursor !== undefined)
      expect(seen.toSorted()).toEqual(expected)
    }
  })

  test.each([
    ['name', false],
    ['created_at', true],
    ['updated_at', true],
  ] as const)("returns Supabase's fields, sorted by %s", async (column, hasTimes) => {
    const list = (prefix: string, with_delimiter: boolean, limit?: number): ReturnType<Bucket['listV2']> =>
      world.service.from('paged').listV2({ prefix, with_delimiter, sortBy: { column }, ...(limit && { limit }) })
    const time = expect.stringMatching(/^\d{4}-.*Z$/) as string
    const object = { id: expect.any(String) as string, created_at: time, updated_at: time, last_accessed_at: time }
    const metadata = expect.objectContaining({ mimetype: 'text/plain;charset=UTF-8' }) as object
    const folder = {
      id: null,
      ...(hasTimes ? { created_at: time, updated_at: time } : { created_at: null, updated_at: null }),
      last_accessed_at: null,
      metadata: null,
    }

    const { data: top } = await list('', true)
    expect(top?.folders).toContainEqual({ key: 'deep', name: 'deep/', ...folder })
    expect(top?.objects).toContainEqual({ key: 'b.txt', name: 'b.txt', ...object, metadata })
    expect(top).not.toHaveProperty('nextCursorKey')
    const { data: below } = await list('deep/', true)
    expect(below).toMatchObject({ folders: [{ key: 'er', name: 'deep/er/', ...folder }], objects: [] })
    const { data: cut } = await list('a/', false, 1)
    expect(cut).toEqual({
      hasNext: true,
      nextCursor: expect.any(String) as string,
      nextCursorKey: 'a/1',
      folders: [],
      objects: [{ name: 'a/1', ...object, metadata }],
    })
  })

  test('pages by time', async () => {
    const first = await world.service.from('paged').listV2({ limit: 3, sortBy: { column: 'created_at', order: 'asc' } })
    expect(first.data?.objects.map(({ name }) => name)).toEqual(['a/1', 'a/2', 'b'])
    const second = await world.service.from('paged').listV2({ limit: 3, cursor: first.data?.nextCursor ?? '' })
    expect(second.data?.objects.map(({ name }) => name)).toEqual(['b-1', 'b.txt', 'b/1'])
  })

  test('is refused with an invalid cursor', async () => {
    const { data } = await world.service.from('paged').listV2({ limit: 1 })
    const changed = Buffer.from(`${atob(data?.nextCursor ?? '')}\na:yesterday`).toString('base64')
    for (const cursor of ['bm9uZQ==', changed, 'x'.repeat(100_000)])
      expect((await world.service.from('paged').listV2({ cursor })).error).toMatchObject({
        status: 400,
        code: 'InvalidParameter',
      })
  })
})
