import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import {
  COMMANDS,
  insertStatement as insert,
  isAllowed,
  POLICY_SETS,
  setPolicies,
  stateOf,
  upsertStatement as upsert,
  type Command,
  type Judged,
} from './policy-matrix.ts'
import { openStorageWorld, type Answer, type StorageWorld, type Who } from './storage-world.ts'

// As policies.pg.test.ts, for TUS requests.

interface Call extends Judged {
  readonly title: string
  /** Policies that are necessary and sufficient. */
  readonly needs: readonly Command[]
  readonly key: string
  readonly upsert?: true
  /** Method that continues an upload created with all policies. */
  readonly goesOn: 'PATCH' | 'HEAD' | 'DELETE' | undefined
}

const CALLS: readonly Call[] = [
  {
    title: 'creation',
    needs: ['insert'],
    statement: insert('new.txt'),
    returnsRow: false,
    key: 'new.txt',
    goesOn: undefined,
  },
  {
    title: 'creation of an upsert of a new key',
    needs: ['select', 'insert'],
    statement: upsert('new.txt'),
    returnsRow: true,
    key: 'new.txt',
    upsert: true,
    goesOn: undefined,
  },
  {
    title: 'creation of an upsert of a key that is there',
    needs: ['select', 'insert', 'update'],
    statement: upsert('there.txt'),
    returnsRow: true,
    key: 'there.txt',
    upsert: true,
    goesOn: undefined,
  },
  {
    title: 'a part',
    needs: ['insert'],
    statement: insert('new.txt'),
    returnsRow: false,
    key: 'new.txt',
    goesOn: 'PATCH',
  },
  {
    title: 'a part of an upsert',
    needs: ['select', 'insert', 'update'],
    statement: upsert('there.txt'),
    returnsRow: true,
    key: 'there.txt',
    upsert: true,
    goesOn: 'PATCH',
  },
  {
    title: 'termination',
    needs: ['insert'],
    statement: insert('new.txt'),
    returnsRow: false,
    key: 'new.txt',
    goesOn: 'DELETE',
  },
  {
    title: 'the question how far it is',
    needs: [],
    statement: sql`select 1`,
    returnsRow: true,
    key: 'new.txt',
    goesOn: 'HEAD',
  },
]

const TUS = { 'tus-resumable': '1.0.0' }
const base64 = (text: string): string => Buffer.from(text).toString('base64')

let world: StorageWorld

beforeAll(async () => {
  world = await openStorageWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

async function restore(): Promise<void> {
  await world.run(`
    set storage.allow_delete_query = 'true';
    delete from storage.objects;
    insert into storage.buckets (id, name) values ('box', 'box') on conflict do nothing;
    reset storage.allow_delete_query`)
  const made = await world.request('service', {
    method: 'POST',
    url: '/object/box/there.txt',
    payload: 'old',
    headers: { 'content-type': 'text/plain' },
  })
  expect(made.status).toBe(200)
}

async function create(who: Who, call: Call): Promise<Answer> {
  return world.request(who, {
    method: 'POST',
    url: '/upload/resumable',
    headers: {
      ...TUS,
      ...(call.upsert && { 'x-upsert': 'true' }),
      'upload-length': '5',
      'upload-metadata': `bucketName ${base64('box')},objectName ${base64(call.key)}`,
    },
  })
}

/** Returns the request to judge as a function, because the upload it continues is created under other policies. */
async function prepare(call: Call): Promise<() => Promise<Answer>> {
  if (call.goesOn === undefined) return () => create('alice', call)
  await setPolicies(world, 'objects', COMMANDS)
  const id = String((await create('alice', call)).headers['location'])
    .split('/')
    .at(-1)
  return () =>
    world.request('alice', {
      method: call.goesOn ?? 'HEAD',
      url: `/upload/resumable/${id}`,
      headers: {
        ...TUS,
        ...(call.goesOn === 'PATCH' && { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }),
      },
      ...(call.goesOn === 'PATCH' && { payload: 'bytes' }),
    })
}

describe('policies judge TUS', () => {
  beforeEach(restore)

  test.each(CALLS)('$title', async (call) => {
    for (const commands of POLICY_SETS) {
      const ask = await prepare(call)
      await setPolicies(world, 'objects', commands)
      const allowed = await isAllowed(world, call)
      const what = `${call.title} with ${commands.join('+') || 'none'}`
      expect(allowed, `${what}, by Postgres`).toBe(call.needs.every((command) => commands.includes(command)))
      const before = await stateOf(world)
      const { status, text } = await ask()
      if (allowed) {
        expect([200, 201, 204], `${what}: ${text}`).toContain(status)
        await restore()
      } else {
        expect([status, text], what).toEqual([403, 'new row violates row-level security policy'])
        expect(await stateOf(world), what).toEqual(before)
      }
    }
  })
})
