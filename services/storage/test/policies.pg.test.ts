import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import {
  insertStatement as insert,
  isAllowed,
  POLICY_SETS,
  setPolicies,
  stateOf,
  upsertStatement as upsert,
  type Command,
  type Judged,
} from './policy-matrix.ts'
import { openStorageWorld, type Answer, type StorageWorld } from './storage-world.ts'

// Postgres decides every right. Each call runs under all sixteen policy sets for its table, and the equivalent SQL statement runs directly as the same user:
// both must have the same outcome.

interface Call extends Judged {
  readonly title: string
  readonly table: 'objects' | 'buckets'
  /** Policies that are necessary and sufficient. */
  readonly needs: readonly Command[]
  readonly request: {
    readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD'
    readonly url: string
    readonly payload?: unknown
    readonly headers?: Record<string, string>
  }
  /** Whether the response reports success. */
  readonly succeeded: (answer: Answer) => boolean
  /** Whether the response is the expected refusal. */
  readonly refusal: (answer: Answer) => boolean
}

const isOk = ({ status }: Answer): boolean => status === 200
const is =
  (statusCode: string) =>
  ({ body }: Answer): boolean =>
    (body as { statusCode?: string } | undefined)?.statusCode === statusCode
const isEmptyList = ({ status, body }: Answer): boolean => status === 200 && Array.isArray(body) && body.length === 0
const hasEntries = ({ status, body }: Answer): boolean => status === 200 && Array.isArray(body) && body.length > 0

const text = { 'content-type': 'text/plain' }
const upload = (method: 'POST' | 'PUT', name: string, headers: Record<string, string> = {}): Call['request'] => ({
  method,
  url: `/object/box/${name}`,
  payload: 'new',
  headers: { ...text, ...headers },
})
const json = (url: string, payload: unknown): Call['request'] => ({ method: 'POST', url, payload })
const select = sql`select id from storage.objects where bucket_id = 'box' and name = 'there.txt'`

const CALLS: readonly Call[] = [
  {
    title: 'upload',
    table: 'objects',
    needs: ['insert'],
    statement: insert('new.txt'),
    request: upload('POST', 'new.txt'),
    succeeded: isOk,
    refusal: is('403'),
    returnsRow: false,
  },
  {
    title: 'upsert of a new key',
    table: 'objects',
    needs: ['select', 'insert'],
    statement: upsert('new.txt'),
    request: upload('POST', 'new.txt', { 'x-upsert': 'true' }),
    succeeded: isOk,
    refusal: is('403'),
    returnsRow: true,
  },
  {
    title: 'upsert of a key that is there',
    table: 'objects',
    needs: ['select', 'insert', 'update'],
    statement: upsert('there.txt'),
    request: upload('POST', 'there.txt', { 'x-upsert': 'true' }),
    succeeded: isOk,
    refusal: is('403'),
    returnsRow: true,
  },
  {
    title: 'update of a new key',
    table: 'objects',
    needs: ['select', 'insert'],
    statement: upsert('new.txt'),
    request: upload('PUT', 'new.txt'),
    succeeded: isOk,
    refusal: is('403'),
    returnsRow: true,
  },
  {
    title: 'update of a key that is there',
    table: 'objects',
    needs: ['select', 'insert', 'update'],
    statement: upsert('there.txt'),
    request: upload('PUT', 'there.txt'),
    succeeded: isOk,
    refusal: is('403'),
    returnsRow: true,
  },
  {
    title: 'download',
    table: 'objects',
    needs: ['select'],
    statement: select,
    request: { method: 'GET', url: '/object/box/there.txt' },
    succeeded: isOk,
    refusal: is('404'),
    returnsRow: true,
  },
  {
    title: 'info',
    table: 'objects',
    needs: ['select'],
    statement: select,
    request: { method: 'GET', url: '/object/info/box/there.txt' },
    succeeded: isOk,
    refusal: is('404'),
    returnsRow: true,
  },
  {
    title: 'exists',
    table: 'objects',
    needs: ['select'],
    statement: select,
    request: { method: 'HEAD', url: '/object/box/there.txt' },
    succeeded: isOk,
    refusal: ({ status }) => status === 400,
    returnsRow: true,
  },
  {
    title: 'sign',
    table: 'objects',
    needs: ['select'],
    statement: select,
    request: json('/object/sign/box/there.txt', { expiresIn: 60 }),
    succeeded: isOk,
    refusal: is('404'),
    returnsRow: true,
  },
  {
    title: 'sign many',
    table: 'objects',
    needs: ['select'],
    statement: select,
    request: json('/object/sign/box', { expiresIn: 60, paths: ['there.txt'] }),
    succeeded: ({ body }) => (body as { error: unknown }[])[0]?.error === null,
    refusal: ({ body }) => typeof (body as { error: unknown }[])[0]?.error === 'string',
    returnsRow: true,
  },
  {
    title: 'list',
    table: 'objects',
    needs: ['select'],
    statement: select,
    request: json('/object/list/box', { prefix: '' }),
    succeeded: hasEntries,
    refusal: isEmptyList,
    returnsRow: true,
  },
  {
    title: 'list v2',
    table: 'objects',
    needs: ['select'],
    statement: select,
    request: json('/object/list-v2/box', {}),
    succeeded: ({ body }) => (body as { objects: unknown[] }).objects.length > 0,
    refusal: ({ body }) => (body as { objects: unknown[] }).objects.length === 0,
    returnsRow: true,
  },
  {
    title: 'remove',
    table: 'objects',
    needs: ['select', 'delete'],
    statement: sql`delete from storage.objects where bucket_id = 'box' and name = 'there.txt' returning id`,
    request: { method: 'DELETE', url: '/object/box', payload: { prefixes: ['there.txt'] } },
    succeeded: hasEntries,
    refusal: isEmptyList,
    returnsRow: true,
  },
  {
    title: 'delete of one',
    table: 'objects',
    needs: ['select', 'delete'],
    statement: sql`delete from storage.objects where bucket_id = 'box' and name = 'there.txt' returning id`,
    request: { method: 'DELETE', url: '/object/box/there.txt' },
    succeeded: isOk,
    refusal: is('403'),
    returnsRow: true,
  },
  {
    title: 'move',
    table: 'objects',
    needs: ['select', 'update'],
    statement: sql`update storage.objects set name = 'moved.txt' where bucket_id = 'box' and name = 'there.txt' returning id`,
    request: json('/object/move', { bucketId: 'box', sourceKey: 'there.txt', destinationKey: 'moved.txt' }),
    succeeded: isOk,
    refusal: is('404'),
    returnsRow: true,
  },
  {
    title: 'copy',
    table: 'objects',
    needs: ['select', 'insert'],
    statement: sql`insert into storage.objects (bucket_id, name, version) select bucket_id, 'copied.txt', '1' from storage.objects where bucket_id = 'box' and name = 'there.txt'`,
    request: json('/object/copy', { bucketId: 'box', sourceKey: 'there.txt', destinationKey: 'copied.txt' }),
    succeeded: isOk,
    refusal: (answer) => is('403')(answer) || is('404')(answer),
    returnsRow: false,
  },
  {
    title: 'address of an upload',
    table: 'objects',
    needs: ['insert'],
    statement: insert('new.txt'),
    request: json('/object/upload/sign/box/new.txt', {}),
    succeeded: isOk,
    refusal: is('403'),
    returnsRow: false,
  },
  {
    title: 'address of an upsert',
    table: 'objects',
    needs: ['select', 'insert', 'update'],
    statement: upsert('there.txt'),
    request: { ...json('/object/upload/sign/box/there.txt', {}), headers: { 'x-upsert': 'true' } },
    succeeded: isOk,
    refusal: is('403'),
    returnsRow: true,
  },
  {
    title: 'creating a bucket',
    table: 'buckets',
    needs: ['insert'],
    statement: sql`insert into storage.buckets (id, name) values ('new', 'new')`,
    request: json('/bucket', { name: 'new' }),
    succeeded: isOk,
    refusal: is('403'),
    returnsRow: false,
  },
  {
    title: 'getting a bucket',
    table: 'buckets',
    needs: ['select'],
    statement: sql`select id from storage.buckets where id = 'bare'`,
    request: { method: 'GET', url: '/bucket/bare' },
    succeeded: isOk,
    refusal: is('404'),
    returnsRow: true,
  },
  {
    title: 'listing buckets',
    table: 'buckets',
    needs: ['select'],
    statement: sql`select id from storage.buckets limit 1`,
    request: { method: 'GET', url: '/bucket' },
    succeeded: hasEntries,
    refusal: isEmptyList,
    returnsRow: true,
  },
  {
    title: 'updating a bucket',
    table: 'buckets',
    needs: ['select', 'update'],
    statement: sql`update storage.buckets set public = true where id = 'bare' returning id`,
    request: { method: 'PUT', url: '/bucket/bare', payload: { public: true } },
    succeeded: isOk,
    refusal: is('404'),
    returnsRow: true,
  },
  {
    title: 'deleting a bucket',
    table: 'buckets',
    needs: ['select', 'delete'],
    statement: sql`delete from storage.buckets where id = 'bare' returning id`,
    request: { method: 'DELETE', url: '/bucket/bare' },
    succeeded: isOk,
    refusal: is('404'),
    returnsRow: true,
  },
]

describe('policies judge', () => {
  let world: StorageWorld

  beforeAll(async () => {
    world = await openStorageWorld()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  beforeEach(async () => {
    await world.run(`
      set storage.allow_delete_query = 'true';
      delete from storage.objects; delete from storage.buckets;
      insert into storage.buckets (id, name) values ('box', 'box'), ('bare', 'bare');
      reset storage.allow_delete_query`)
    const made = await world.request('service', {
      method: 'POST',
      url: '/object/box/there.txt',
      payload: 'old',
      headers: text,
    })
    expect(made.status).toBe(200)
  })

  test.each(CALLS)('$title', async (call) => {
    for (const commands of POLICY_SETS) {
      await setPolicies(world, call.table, commands)
      const allowed = await isAllowed(world, call)
      expect(allowed, `${call.title} with ${commands.join('+') || 'none'}, by Postgres`).toBe(
        call.needs.every((command) => commands.includes(command)),
      )
      const before = await stateOf(world)
      const { payload, ...request } = call.request
      const answer = await world.request('alice', {
        ...request,
        ...(payload !== undefined && { payload: payload as string }),
      })
      const what = `${call.title} with ${commands.join('+') || 'none'}: ${answer.status} ${answer.text}`
      expect(allowed ? call.succeeded(answer) : call.refusal(answer), what).toBe(true)
      if (!allowed) expect(await stateOf(world), what).toEqual(before)
      else await restore(world)
    }
  })
})

/** Reverts the changes of a successful call. */
async function restore(world: StorageWorld): Promise<void> {
  await world.run(`
    set storage.allow_delete_query = 'true';
    delete from storage.objects where name <> 'there.txt'; delete from storage.buckets where id = 'new';
    insert into storage.buckets (id, name) values ('bare', 'bare') on conflict (id) do update set public = false;
    reset storage.allow_delete_query`)
  await world.request('service', { method: 'PUT', url: '/object/box/there.txt', payload: 'old', headers: text })
}
