import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPool, queryable, sql, type Pool, type SqlFragment } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

// The stand-in for pgmq, created and used by the project's role.

let database: TestDatabase
let project: Pool
beforeAll(async () => {
  database = await openTestDatabase()
  project = createPool({ url: database.projectUrl, applicationName: 'test project', connectionsMax: 4 })
  await project.execute(sql`create extension pgmq`)
})
afterAll(async () => {
  await project[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

type Row = Readonly<Record<string, unknown>>
const rows = (statement: SqlFragment): Promise<readonly Row[]> => project.query<Row>(statement)
let last = 0
/** Creates a queue with a unique name. */
async function makeQueue(): Promise<string> {
  const name = `queue_${++last}`
  await rows(sql`select pgmq.create(${name})`)
  return name
}
const send = async (queue: string, ...messages: readonly unknown[]): Promise<readonly unknown[]> => {
  const bodies = messages.map((message) => JSON.stringify(message))
  return (await rows(sql`select send_batch as id from pgmq.send_batch(${queue}, ${bodies}::jsonb[])`)).map(
    ({ id }) => id,
  )
}
const read = (queue: string, vt = 30, qty = 10): Promise<readonly Row[]> =>
  rows(sql`select message, read_ct from pgmq.read(${queue}, ${vt}, ${qty})`)

describe('create extension', () => {
  test.each([
    ['with the schema named', 'create schema if not exists pgmq; create extension if not exists pgmq with schema pgmq'],
    [
      'with a version of hosted projects',
      `create schema pgmq; create extension if not exists pgmq with schema pgmq version '1.4.4'`,
    ],
    ['with cascade', 'create extension if not exists "pgmq" cascade'],
  ])('%s', async (_, text) => {
    await using other = await openTestDatabase()
    await using owner = createPool({ url: other.projectUrl, applicationName: 'test', connectionsMax: 1 })
    await owner.withClient((client) => client.query(text))
    await owner.execute(sql`select pgmq.create('jobs')`)
    // SQL that a hosted project's dashboard writes into migrations.
    await owner.withClient((client) =>
      client.query(`
        grant usage on schema pgmq to anon, authenticated, service_role;
        grant execute on function pgmq.pop(text), pgmq.read(text, integer, integer), pgmq.send(text, jsonb, integer),
          pgmq.send_batch(text, jsonb[], integer), pgmq.archive(text, bigint), pgmq.delete(text, bigint) to service_role, authenticated;
        grant all privileges on all tables in schema pgmq to service_role;
        alter table pgmq.q_jobs enable row level security;`),
    )
    expect(await owner.query(sql`select queue_name, is_partitioned, is_unlogged from pgmq.list_queues()`)).toEqual([
      { queue_name: 'jobs', is_partitioned: false, is_unlogged: false },
    ])
  })

  test('gives the other roles nothing that the project did not grant', async () => {
    await expect(
      project.withClient((client) => client.query(`set role service_role; select pgmq.send('any', '{}')`)),
    ).rejects.toThrow('permission denied for schema pgmq')
  })

  test('dropped and made again, leaves messages where they are', async () => {
    await using other = await openTestDatabase()
    await using owner = createPool({ url: other.projectUrl, applicationName: 'test', connectionsMax: 1 })
    await owner.withClient((client) =>
      client.query(
        `create extension pgmq; select pgmq.create('kept'); select pgmq.send('kept', '1');
         drop extension pgmq; create extension pgmq; select pgmq.create('kept')`,
      ),
    )
    expect(await owner.query(sql`select message from pgmq.read('kept', 1, 1)`)).toEqual([{ message: 1 }])
  })
})

describe('reading', () => {
  test('gives each message once within its time, in the order of sending', async () => {
    const queue = await makeQueue()
    expect(await send(queue, { n: 1 }, { n: 2 }, { n: 3 })).toEqual(['1', '2', '3'])
    expect(await read(queue, 30, 2)).toEqual([
      { message: { n: 1 }, read_ct: 1 },
      { message: { n: 2 }, read_ct: 1 },
    ])
    expect(await read(queue)).toEqual([{ message: { n: 3 }, read_ct: 1 }])
    expect(await read(queue)).toEqual([])
  })

  test('gives a message again when its time is over, and counts', async () => {
    const queue = await makeQueue()
    await send(queue, 'again')
    await read(queue, 0)
    expect(await read(queue, 60)).toEqual([{ message: 'again', read_ct: 2 }])
    await rows(sql`select pgmq.set_vt(${queue}, 1, 0)`)
    expect(await read(queue)).toEqual([{ message: 'again', read_ct: 3 }])
  })

  test('does not give a delayed message before its time', async () => {
    const queue = await makeQueue()
    await rows(sql`select pgmq.send(${queue}, '"later"'::jsonb, 3600)`)
    await rows(sql`select pgmq.send(${queue}, '"at"'::jsonb, now() + interval '1 hour')`)
    await rows(sql`select pgmq.send(queue_name => ${queue}, msg => '"now"', headers => '{"trace": 1}'::jsonb)`)
    expect(await rows(sql`select message, headers from pgmq.read(${queue}, 30, 10)`)).toEqual([
      { message: 'now', headers: { trace: 1 } },
    ])
    const moved = await rows(sql`select msg_id from pgmq.set_vt(${queue}, array[1, 2]::bigint[], 0)`)
    expect(moved).toHaveLength(2)
    expect((await read(queue)).map(({ message }) => message)).toEqual(['later', 'at'])
  })

  test('gives what a condition says', async () => {
    const queue = await makeQueue()
    await send(queue, { kind: 'a' }, { kind: 'b' })
    expect(await rows(sql`select message from pgmq.read(${queue}, 30, 10, '{"kind": "b"}'::jsonb)`)).toEqual([
      { message: { kind: 'b' } },
    ])
  })

  test('passes over messages that another transaction is reading, without waiting for it', async () => {
    const queue = await makeQueue()
    await send(queue, 1, 2, 3)
    await project.withClient(async (client) => {
      await client.query('begin')
      const first = await queryable(client).query(sql`select message from pgmq.read(${queue}, 30, 1)`)
      expect(first).toEqual([{ message: 1 }])
      expect(await rows(sql`select message from pgmq.pop(${queue})`)).toEqual([{ message: 2 }])
      await client.query('rollback')
    })
    expect((await read(queue)).map(({ message }) => message)).toEqual([1, 3])
  })

  test('of many at once, no two get the same message, and each message comes to one', async () => {
    const queue = await makeQueue()
    await send(queue, ...Array.from({ length: 200 }, (_, n) => n))
    const worker = async (): Promise<readonly unknown[]> => {
      const got: unknown[] = []
      for (;;) {
        const taken = await read(queue, 600, 7)
        if (taken.length === 0) return got
        got.push(...taken.map(({ message }) => message))
      }
    }
    const all = (await Promise.all(Array.from({ length: 4 }, worker))).flat()
    expect([...all].sort((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 200 }, (_, n) => n))
  })

  test('waits for a message that is not there yet', async () => {
    const queue = await makeQueue()
    const waiting = rows(sql`select message from pgmq.read_with_poll(${queue}, 30, 1, 60, 10)`)
    await send(queue, 'arrived')
    expect(await waiting).toEqual([{ message: 'arrived' }])
    expect(await rows(sql`select message from pgmq.read_with_poll(${queue}, 30, 1, 0)`)).toEqual([])
  })
})

describe('done with a message', () => {
  test('pop reads and deletes', async () => {
    const queue = await makeQueue()
    await send(queue, 1, 2, 3)
    expect(await rows(sql`select message from pgmq.pop(${queue})`)).toEqual([{ message: 1 }])
    expect(await rows(sql`select message from pgmq.pop(${queue}, 5)`)).toEqual([{ message: 2 }, { message: 3 }])
  })

  test('delete and archive say what they found', async () => {
    const queue = await makeQueue()
    await send(queue, 1, 2, 3, 4)
    const [one] = await rows(sql`select pgmq.delete(${queue}, 1) as yes, pgmq.delete(${queue}, 9) as no`)
    expect(one).toEqual({ yes: true, no: false })
    expect(await rows(sql`select pgmq.archive(${queue}, 2) as yes, pgmq.archive(${queue}, 2) as no`)).toEqual([
      { yes: true, no: false },
    ])
    expect(await rows(sql`select archive as id from pgmq.archive(${queue}, array[3, 4, 9]::bigint[])`)).toHaveLength(2)
    const archive = sql.identifier('pgmq', `a_${queue}`)
    expect(await rows(sql`select message, archived_at is not null as dated from ${archive} order by msg_id`)).toEqual(
      [2, 3, 4].map((message) => ({ message, dated: true })),
    )
  })
})

describe('queues', () => {
  test('metrics count what there is and what there was', async () => {
    const queue = await makeQueue()
    await send(queue, 1, 2, 3)
    await read(queue, 60, 1)
    await rows(sql`select pgmq.delete(${queue}, 3)`)
    const [metrics] = await rows(
      sql`select queue_length, queue_visible_length, total_messages, oldest_msg_age_sec from pgmq.metrics(${queue})`,
    )
    expect(metrics).toMatchObject({ queue_length: '2', queue_visible_length: '1', total_messages: '3' })
    expect(metrics?.['oldest_msg_age_sec']).toBeGreaterThanOrEqual(0)
    expect((await rows(sql`select queue_name from pgmq.metrics_all()`)).map((row) => row['queue_name'])).toContain(
      queue,
    )
  })

  test('purge empties, drop takes the archive along', async () => {
    const queue = await makeQueue()
    await send(queue, 1, 2)
    expect(await rows(sql`select pgmq.purge_queue(${queue}) as gone`)).toEqual([{ gone: '2' }])
    await rows(sql`select pgmq.detach_archive(${queue})`)
    expect(
      await rows(sql`select pgmq.drop_queue(${queue}) as gone, to_regclass(${`pgmq.a_${queue}`}) as left`),
    ).toEqual([{ gone: true, left: null }])
    expect(await rows(sql`select pgmq.drop_queue(${queue}) as gone`)).toEqual([{ gone: false }])
    await expect(send(queue, 1)).rejects.toThrow('does not exist')
  })

  test('an unlogged queue is one, a partitioned one is refused with a way out', async () => {
    await rows(sql`select pgmq.create_unlogged('quick')`)
    expect(
      await rows(sql`select relpersistence::text as kind from pg_class where oid = 'pgmq.q_quick'::regclass`),
    ).toEqual([{ kind: 'u' }])
    await expect(rows(sql`select pgmq.create_partitioned('parts')`)).rejects.toMatchObject({
      message: expect.stringContaining('pg_partman is required') as string,
      hint: expect.stringContaining('--postgres-bin') as string,
    })
  })

  test.each([
    'with "quotes"',
    'with space and %',
    'Ünïcode',
    'a.b',
    '"; drop',
    'select',
    'back\\slash',
    'x'.repeat(47),
  ])('a queue may be called %s, or its name is refused', async (name) => {
    if (name.includes(';')) {
      await expect(rows(sql`select pgmq.create(${name})`)).rejects.toThrow('invalid characters')
      return
    }
    await rows(sql`select pgmq.create(${name})`)
    await send(name, 'in')
    await rows(sql`select pgmq.archive(${name}, 1)`)
    await send(name, 'there')
    expect((await read(name)).map(({ message }) => message)).toEqual(['there'])
    expect(await rows(sql`select total_messages from pgmq.metrics(${name})`)).toEqual([{ total_messages: '2' }])
    expect(await rows(sql`select pgmq.drop_queue(${name}) as gone`)).toEqual([{ gone: true }])
  })

  test.each([
    ['', 'missing'],
    ['x'.repeat(48), 'too long'],
    ['ü'.repeat(24), 'too long'],
    [`q'); drop table pgmq.meta; --`, 'invalid characters'],
  ])('a queue may not be called "%s"', async (name, reason) => {
    await expect(rows(sql`select pgmq.create(${name})`)).rejects.toThrow(reason)
  })

  test('names that differ in case are one queue, as with pgmq', async () => {
    await rows(sql`select pgmq.create('Cased'), pgmq.create('cased')`)
    await send('Cased', 1)
    expect(await rows(sql`select message from pgmq.pop('cased')`)).toEqual([{ message: 1 }])
    expect(await rows(sql`select count(*)::int as n from pgmq.list_queues() where queue_name ilike 'cased'`)).toEqual([
      { n: 1 },
    ])
  })

  test('two that make the same queue at once both succeed', async () => {
    await Promise.all(Array.from({ length: 4 }, () => rows(sql`select pgmq.create('raced')`)))
    await send('raced', 1)
    expect(await read('raced')).toHaveLength(1)
  })

  test('headers of a batch have to be as many as messages', async () => {
    const queue = await makeQueue()
    await expect(
      rows(sql`select pgmq.send_batch(${queue}, array['1', '2']::jsonb[], array['{}']::jsonb[])`),
    ).rejects.toThrow('2 messages and 1 headers')
  })

  test('row-level security of a queue holds for whom the project granted it', async () => {
    const queue = await makeQueue()
    await project.withClient((client) =>
      client.query(`
        grant usage on schema pgmq to authenticated;
        grant select, update on pgmq.q_${queue} to authenticated;
        alter table pgmq.q_${queue} enable row level security;
        create policy own on pgmq.q_${queue} for all to authenticated using (message ->> 'for' = 'me');`),
    )
    await send(queue, { for: 'you' }, { for: 'me' })
    await project.withClient(async (client) => {
      await client.query('begin; set local role authenticated')
      const seen = await queryable(client).query(sql`select message from pgmq.read(${queue}, 30, 10)`)
      await client.query('rollback')
      expect(seen).toEqual([{ message: { for: 'me' } }])
    })
  })
})
