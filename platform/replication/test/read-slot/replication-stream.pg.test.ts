import { silentLogger } from '@holdfast/foundation'
import { sql, type SqlFragment } from '@holdfast/postgres'
import { openTestDatabase, runsOf } from '@holdfast/test-support'
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { copyRows } from '../../src/copy/copy-rows.ts'
import type { ReplicationEvent, ReplicationStream } from '../../src/events.ts'
import { parseLsn, type Lsn } from '../../src/lsn.ts'
import { ensurePublication } from '../../src/publication.ts'
import { createSlot, dropSlot, findSlot } from '../../src/slot.ts'
import { openReplicationStream } from '../../src/read-slot/renewed-stream.ts'

// Pins that every commit arrives once, complete, in commit order and in the text form of a snapshot; confirmed changes are not repeated and unconfirmed ones
// not lost; memory is bounded by the consumer's pace; each way of losing a slot has its own error.

const PUBLICATION = 'changes'

interface Setup extends AsyncDisposable {
  readonly url: string
  readonly name: string
  run(...statements: readonly SqlFragment[]): Promise<void>
  query<Row extends object>(statement: SqlFragment): Promise<Row[]>
  open(startLsn?: Lsn): Promise<ReplicationStream>
  readonly db: Awaited<ReturnType<typeof openTestDatabase>>
}

/** A database with these tables published and an equally named slot. */
async function setUp(...tables: readonly SqlFragment[]): Promise<Setup> {
  const db = await openTestDatabase()
  const run = async (...statements: readonly SqlFragment[]): Promise<void> => {
    for (const statement of statements) await db.pool.execute(statement)
  }
  await run(...tables)
  const names = await db.pool.query<{ schema: string; name: string }>(
    sql`select 'public' as schema, relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  )
  await ensurePublication(db.pool, { name: PUBLICATION, tables: names })
  await (await createSlot({ url: db.url, name: db.name }))[Symbol.asyncDispose]()
  return {
    db,
    url: db.url,
    name: db.name,
    run,
    query: (statement) => db.pool.query(statement),
    open: (startLsn) =>
      openReplicationStream({ url: db.url, slot: db.name, publication: PUBLICATION, startLsn, logger: silentLogger }),
    async [Symbol.asyncDispose]() {
      await dropSlot(db.pool, db.name)
      await db[Symbol.asyncDispose]()
    },
  }
}

const END = 'end of test'

/** All events up to a message emitted now, without `progress`. */
async function readAll(setup: Setup, stream: ReplicationStream): Promise<ReplicationEvent[]> {
  const mark = randomUUID() // an unconfirmed earlier one is repeated
  await setup.run(sql`select pg_logical_emit_message(false, ${END}, ${mark}, true)`)
  const seen: ReplicationEvent[] = []
  for await (const batch of stream.batches) {
    expect(batch.length).toBeGreaterThan(0)
    for (const event of batch) {
      if (event.kind !== 'message' || event.prefix !== END) seen.push(event)
      else if (event.content === mark) return seen.filter((other) => !isOfThePlatform(other))
    }
  }
  throw new Error('the stream ended early')
}

/** Keepalives, and DDL messages of the platform's triggers. */
function isOfThePlatform(event: ReplicationEvent): boolean {
  return event.kind === 'progress' || (event.kind === 'message' && event.prefix.startsWith('holdfast:'))
}

/** Formats changes as lines. */
function changes(events: readonly ReplicationEvent[]): string[] {
  return events.flatMap((event) => {
    switch (event.kind) {
      case 'insert':
        return [`${event.relation.name} + ${event.row.join()}`]
      case 'update':
        return [`${event.relation.name} ${event.old.join()} > ${event.row.join()}`]
      case 'delete':
        return [`${event.relation.name} - ${event.old.join()}`]
      case 'truncate':
        return [
          `truncate ${event.relations
            .map((relation) => relation.name)
            .toSorted()
            .join()}`,
        ]
      case 'incomplete':
        return [`${event.relation.name} ?`]
      case 'message':
        return [`message ${event.prefix} ${event.content}`]
      case 'begin':
      case 'commit':
        return [event.kind]
      case 'progress':
        return []
    }
  })
}

const ITEMS = sql`create table items (id int primary key, a text)`

describe('what arrives', () => {
  test('every kind of change, with whole old rows, in the order it happened', async () => {
    await using setup = await setUp(ITEMS, sql`create table others (id int primary key)`)
    await using stream = await setup.open()
    await setup.run(
      sql`insert into items values (1, 'one'), (2, null), (3, 'drei ü 𝄞')`,
      sql`update items set a = 'zwei' where id = 2`,
      sql`update items set id = 30 where id = 3`,
      sql`delete from items where id = 1`,
      sql`insert into others values (1)`,
      sql`truncate items, others`,
    )
    expect(changes(await readAll(setup, stream))).toEqual([
      'begin',
      'items + 1,one',
      'items + 2,',
      'items + 3,drei ü 𝄞',
      'commit',
      'begin',
      'items 2, > 2,zwei',
      'commit',
      'begin',
      'items 3,drei ü 𝄞 > 30,drei ü 𝄞',
      'commit',
      'begin',
      'items - 1,one',
      'commit',
      'begin',
      'others + 1',
      'commit',
      'begin',
      'truncate items,others',
      'commit',
    ])
  })

  test('null and empty text are told apart', async () => {
    await using setup = await setUp(ITEMS)
    await using stream = await setup.open()
    await setup.run(sql`insert into items values (1, null)`, sql`update items set a = ''`)
    const events = await readAll(setup, stream)
    expect(events.find((event) => event.kind === 'update')).toMatchObject({ old: ['1', null], row: ['1', ''] })
  })

  test('a large value that an update does not touch comes whole', async () => {
    await using setup = await setUp(
      sql`create table big (id int primary key, n int, body text)`,
      sql`alter table big alter body set storage external`,
    )
    await using stream = await setup.open()
    await setup.run(
      sql`insert into big values (1, 1, repeat('ä', 100000))`,
      sql`update big set n = 2`,
      sql`update big set id = 9`,
      sql`delete from big`,
    )
    const body = 'ä'.repeat(100_000)
    const events = await readAll(setup, stream)
    expect(events.filter(({ kind }) => kind !== 'begin' && kind !== 'commit')).toMatchObject([
      { kind: 'insert', row: ['1', '1', body] },
      { kind: 'update', old: ['1', '1', body], row: ['1', '2', body] },
      { kind: 'update', old: ['1', '2', body], row: ['9', '2', body] },
      { kind: 'delete', old: ['9', '2', body] },
    ])
  })

  test('two transactions at once come one after the other, in the order of their commits', async () => {
    await using setup = await setUp(ITEMS)
    await using stream = await setup.open()
    await setup.db.pool.transaction(async (slow) => {
      await slow.execute(sql`insert into items values (1, 'slow')`)
      await setup.db.pool.transaction(async (quick) => {
        await quick.execute(sql`insert into items values (2, 'quick')`)
        await slow.execute(sql`insert into items values (3, 'slow')`)
      })
    })
    const events = await readAll(setup, stream)
    expect(changes(events)).toEqual([
      'begin',
      'items + 2,quick',
      'commit',
      'begin',
      'items + 1,slow',
      'items + 3,slow',
      'commit',
    ])
    const [first, second] = events.filter((event) => event.kind === 'commit')
    expect(first?.endLsn).toBeLessThan(second?.endLsn ?? 0n)
  })

  test('nothing of what was rolled back, of unpublished tables or of a savepoint undone', async () => {
    await using setup = await setUp(ITEMS, sql`create schema hidden`, sql`create table hidden.private (id int)`)
    await using stream = await setup.open()
    await setup.run(sql`insert into hidden.private values (1)`)
    await setup.db.pool
      .transaction(async (tx) => {
        await tx.execute(sql`insert into items values (1, 'no')`)
        throw new Error('roll back')
      })
      .catch(() => undefined)
    await setup.db.pool.transaction(async (tx) => {
      await tx.execute(sql`insert into items values (2, 'yes')`)
      await tx.execute(sql`savepoint s`)
      await tx.execute(sql`insert into items values (3, 'no')`)
      await tx.execute(sql`rollback to s`)
    })
    expect(changes(await readAll(setup, stream))).toEqual(['begin', 'items + 2,yes', 'commit'])
  })

  test('messages carry the position that emitting them returned; the transactional ones wait for their commit', async () => {
    await using setup = await setUp(ITEMS)
    await using stream = await setup.open()
    const [alone] = await setup.query<{ lsn: string }>(sql`select pg_logical_emit_message(false, 'p', 'allein') as lsn`)
    await setup.db.pool.transaction(async (tx) => {
      await tx.query(sql`select pg_logical_emit_message(true, 'p', 'inside')`)
      await tx.execute(sql`insert into items values (1, 'x')`)
      await tx.query(sql`select pg_logical_emit_message(false, 'p', 'at once', true)`)
    })
    const events = await readAll(setup, stream)
    expect(changes(events)).toEqual([
      'message p allein',
      'message p at once',
      'begin',
      'message p inside',
      'items + 1,x',
      'commit',
    ])
    expect(events[0]).toMatchObject({ transactional: false, lsn: parseLsn(alone?.lsn ?? '') })
  })

  test('changes of partitions come as those of the partitioned table, moves between them included', async () => {
    await using setup = await setUp(
      sql`create table p (id int primary key, a text) partition by range (id)`,
      sql`create table p1 partition of p for values from (0) to (10)`,
      sql`create table p2 (a text, id int not null)`,
      sql`alter table p attach partition p2 for values from (10) to (20)`,
    )
    await using stream = await setup.open()
    await setup.run(
      sql`insert into p values (1, 'a'), (11, 'b')`,
      sql`update p set a = 'c' where id = 11`,
      sql`update p set id = 12 where id = 1`,
      sql`truncate p`,
    )
    expect(
      changes(await readAll(setup, stream)).filter((line) => line.startsWith('p ') || line.startsWith('t')),
    ).toEqual(['p + 1,a', 'p + 11,b', 'p 11,b > 11,c', 'p - 1,a', 'p + 12,a', 'truncate p'])
  })

  test('columns added and dropped while the stream runs', async () => {
    await using setup = await setUp(ITEMS)
    await using stream = await setup.open()
    await setup.run(
      sql`insert into items values (1, 'one')`,
      sql`alter table items add column b int default 7`,
      sql`update items set a = 'eins'`,
      sql`alter table items drop column a`,
      sql`delete from items`,
    )
    expect(changes(await readAll(setup, stream)).filter((line) => line.startsWith('items'))).toEqual([
      'items + 1,one',
      'items 1,one,7 > 1,eins,7',
      'items - 1,7',
    ])
  })

  test('values have the text form of a snapshot, whatever the database is set to', async () => {
    await using setup =
      await setUp(sql`create table kinds (id int primary key, ts timestamptz, d date, iv interval, f float8, by bytea,
      b bool, j jsonb, n numeric, arr text[], u uuid)`)
    for (const setting of [
      "datestyle = 'German'",
      "timezone = 'Asia/Tokyo'",
      "intervalstyle = 'iso_8601'",
      'extra_float_digits = -5',
      "bytea_output = 'escape'",
    ]) {
      await setup.run(sql`alter database ${sql.identifier(setup.name)} set ${sql.trusted(setting)}`)
    }
    await using stream = await setup.open()
    await setup.run(sql`insert into kinds values (1, '2026-03-01 12:00:00.123456+02', '2026-03-01', '1 day 02:03:04',
      0.1::float8 + 0.2, decode('00ff', 'hex'), true, '{"b": [1, "ü"], "a": null}', 1.50, array['x', null, 'a"b,c'],
      '550e8400-e29b-41d4-a716-446655440000')`)
    const events = await readAll(setup, stream)
    const row = events.flatMap((event) => (event.kind === 'insert' ? [event.row] : []))[0]
    expect(row).toEqual([
      '1',
      '2026-03-01 10:00:00.123456+00',
      '2026-03-01',
      '1 day 02:03:04',
      '0.30000000000000004',
      '\\x00ff',
      't',
      '{"a": null, "b": [1, "ü"]}',
      '1.50',
      String.raw`{x,NULL,"a\"b,c"}`,
      '550e8400-e29b-41d4-a716-446655440000',
    ])
    for await (const batch of copyRows({ url: setup.url, query: sql`select * from kinds` }))
      expect(batch).toEqual([row])
  })
})

describe('going on where it stopped', () => {
  test('nothing confirmed comes again, and nothing unconfirmed is lost', async () => {
    await using setup = await setUp(ITEMS)
    let confirmed: Lsn | undefined
    {
      await using stream = await setup.open()
      await setup.run(sql`insert into items values (1, 'a')`, sql`insert into items values (2, 'b')`)
      const [first] = (await readAll(setup, stream)).filter((event) => event.kind === 'commit')
      confirmed = first?.endLsn
      stream.confirm(confirmed as Lsn)
    }
    expect((await findSlot(setup.db.pool, setup.name))?.confirmedFlushLsn).toBe(confirmed)
    await setup.run(sql`insert into items values (3, 'c')`)
    {
      await using stream = await setup.open()
      expect(changes(await readAll(setup, stream)).filter((line) => line.startsWith('items'))).toEqual([
        'items + 2,b',
        'items + 3,c',
      ])
    }
    // Nothing was confirmed, so everything is repeated, unless the reader states a position.
    await using stream = await setup.open()
    const again = await readAll(setup, stream)
    expect(changes(again).filter((line) => line.startsWith('items'))).toEqual(['items + 2,b', 'items + 3,c'])
    await stream[Symbol.asyncDispose]()
    const [second] = again.filter((event) => event.kind === 'commit')
    await using later = await setup.open(second?.endLsn)
    expect(changes(await readAll(setup, later)).filter((line) => line.startsWith('items'))).toEqual(['items + 3,c'])
  })

  test('a position confirmed reaches the slot', async () => {
    await using setup = await setUp(ITEMS)
    await using stream = await setup.open()
    await setup.run(sql`insert into items values (1, 'a')`)
    const commit = (await readAll(setup, stream)).find((event) => event.kind === 'commit')
    stream.confirm(commit?.endLsn as Lsn)
    await expect.poll(async () => (await findSlot(setup.db.pool, setup.name))?.confirmedFlushLsn).toBe(commit?.endLsn)
  })

  test('while nothing is outstanding, WAL that holds nothing for the reader is given up; what was not confirmed is kept', async () => {
    await using setup = await setUp(ITEMS, sql`create schema hidden`, sql`create table hidden.private (id int)`)
    await using stream = await setup.open()
    const slotPosition = async (): Promise<bigint> =>
      (await findSlot(setup.db.pool, setup.name))?.confirmedFlushLsn ?? 0n
    await setup.run(sql`insert into hidden.private select generate_series(1, 1000)`)
    const [wal] = await setup.query<{ lsn: string }>(sql`select pg_current_wal_insert_lsn()::text as lsn`)
    await nextProgress(stream, parseLsn(wal?.lsn ?? '') as Lsn)
    stream.requestProgress()
    await expect.poll(slotPosition).toBeGreaterThanOrEqual(parseLsn(wal?.lsn ?? '') as bigint)

    await setup.run(sql`insert into items values (1, 'a')`)
    const commit = (await readAll(setup, stream)).find((event) => event.kind === 'commit')
    await setup.run(sql`insert into hidden.private select generate_series(1, 1000)`)
    const [after] = await setup.query<{ lsn: string }>(sql`select pg_current_wal_insert_lsn()::text as lsn`)
    stream.requestProgress()
    await nextProgress(stream, parseLsn(after?.lsn ?? '') as Lsn)
    stream.requestProgress()
    await nextProgress(stream, parseLsn(after?.lsn ?? '') as Lsn)
    expect(await slotPosition()).toBeLessThan(commit?.commitLsn as bigint)
  })
})

/** Reads until a `progress` at or after `lsn`; returns the events before it. */
async function nextProgress(stream: ReplicationStream, lsn: Lsn): Promise<ReplicationEvent[]> {
  const before: ReplicationEvent[] = []
  for await (const batch of stream.batches) {
    for (const event of batch) {
      if (event.kind === 'progress' && event.lsn >= lsn) return before
      before.push(event)
    }
  }
  throw new Error('the stream ended early')
}

describe('progress', () => {
  test('comes after everything that was committed before its position, also when nothing was published', async () => {
    await using setup = await setUp(ITEMS, sql`create schema hidden`, sql`create table hidden.private (id int)`)
    await using stream = await setup.open()
    for (let round = 0; round < runsOf(20, { least: 6 }); round++) {
      const isPublished = round % 2 === 0
      await setup.run(
        isPublished ? sql`insert into items values (${round}, 'x')` : sql`insert into hidden.private values (1)`,
      )
      const [wal] = await setup.query<{ lsn: string }>(sql`select pg_current_wal_insert_lsn()::text as lsn`)
      stream.requestProgress()
      const before = await nextProgress(stream, parseLsn(wal?.lsn ?? '') as Lsn)
      expect(changes(before)).toEqual(isPublished ? ['begin', `items + ${round},x`, 'commit'] : [])
    }
  })

  test('never stands inside a transaction, however often it is asked for', async () => {
    await using setup = await setUp(ITEMS)
    await using stream = await setup.open()
    await setup.run(sql`insert into items select i, repeat('x', 500) from generate_series(1, 50000) i`)
    let inside = false
    let asked = 0
    for await (const batch of stream.batches) {
      stream.requestProgress()
      asked++
      for (const event of batch) {
        if (event.kind === 'begin') inside = true
        if (event.kind === 'progress') expect(inside).toBe(false)
        if (event.kind === 'commit') inside = false
      }
      if (batch.some((event) => event.kind === 'commit')) break
    }
    expect(asked).toBeGreaterThan(5)
    // A request within a transaction is answered after its end.
    await nextProgress(stream, 0n as Lsn)
  })
})
