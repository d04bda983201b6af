import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { collect, openClient, signUp, subscribe, VERSIONS } from './realtime-world.ts'

let holdfast: Holdfast

/** A project's SQL: changes to a table are broadcast to signed-in users, on one topic per row. */
const PROJECT = `
  create policy "read" on realtime.messages for select to authenticated using (realtime.topic() like 'note:%');
  create table public.notes (id int primary key, body text, file bytea);
  create function public.tell() returns trigger language plpgsql security definer as $$
  begin
    perform realtime.broadcast_changes(
      'note:' || coalesce(new.id, old.id), tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
    return null;
  end $$;
  create trigger tell after insert or update or delete on public.notes for each row execute function public.tell();
`

beforeAll(async () => {
  holdfast = await openHoldfast()
  await run(PROJECT)
})

afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]()
})

const run = (text: string) => holdfast.admin.withClient((client) => client.query(text))

const PRIVATE = { config: { private: true } }

async function openPerson(version?: (typeof VERSIONS)[number]) {
  const client = openClient(holdfast, version && { version })
  await signUp(client, 'alice')
  return client
}

describe('a broadcast from the database', () => {
  test.each(VERSIONS)(
    'reaches users who may read the topic once the rows are committed, protocol %s',
    async (version) => {
      const id = version === '2.0.0' ? 2 : 1
      const channel = (await openPerson(version)).channel(`note:${id}`, PRIVATE)
      const got = collect(channel, '*')
      expect((await subscribe(channel)).statuses).toEqual(['SUBSCRIBED'])
      await run(`begin; insert into notes values (${id}, 'undone'); rollback`)
      await run(`begin; insert into notes values (${id}, 'a'); update notes set body = 'b' where id = ${id}; commit`)
      await run(`delete from notes where id = ${id}`)
      await expect.poll(() => got.length).toBe(3)
      const table = { schema: 'public', table: 'notes', id: expect.any(String) }
      const row = (body: string) => ({ id, body, file: null })
      expect(got.map(({ event, payload }) => ({ event, payload }))).toEqual([
        { event: 'INSERT', payload: { ...table, operation: 'INSERT', record: row('a'), old_record: null } },
        { event: 'UPDATE', payload: { ...table, operation: 'UPDATE', record: row('b'), old_record: row('a') } },
        { event: 'DELETE', payload: { ...table, operation: 'DELETE', record: null, old_record: row('b') } },
      ])
      const [first = {}] = got
      expect(first['meta']).toEqual({ id: (first['payload'] as { id: string }).id })
    },
  )

  test('can be sent by realtime.send, to public or private channels, or by an insert', async () => {
    const client = openClient(holdfast)
    const channel = client.channel('open')
    const got = collect(channel, '*')
    await subscribe(channel)
    await run(`select realtime.send('{"a": 1}', 'private', 'open')`)
    await run(`select realtime.send('{"a": 2, "id": "own"}', 'public', 'open', false)`)
    await run(`insert into realtime.messages (topic, extension, event, payload, private)
               values ('open', 'broadcast', 'inserted', '[1, {"b": null}]', false)`)
    await expect.poll(() => got.length).toBe(2)
    expect(got).toMatchObject([
      { event: 'public', payload: { a: 2, id: 'own' } },
      { event: 'inserted', payload: [1, { b: null }] },
    ])
  })

  test('carries bytes', async () => {
    const channel = openClient(holdfast).channel('bytes')
    const got = collect(channel, 'x')
    await subscribe(channel)
    await run(`select realtime.send_binary('\\x00ff80', 'x', 'bytes', false)`)
    await expect.poll(() => got.length).toBe(1)
    expect(Buffer.from(got[0]?.['payload'] as ArrayBuffer)).toEqual(Buffer.from([0, 255, 128]))
  })

  test('is not sent without the privilege, but the statement succeeds', async () => {
    const admin = openClient(holdfast)
    const channel = admin.channel('refused')
    const got = collect(channel, '*')
    await subscribe(channel)
    await run(`begin; set local role authenticated; select realtime.send('{}', 'refused', 'refused', false); commit`)
    await run(`select realtime.send('{}', 'sent', 'refused', false)`)
    await expect.poll(() => got.length).toBe(1)
    expect(got).toMatchObject([{ event: 'sent' }])
  })

  test('is replayed to clients that join later', async () => {
    await run(`select realtime.send(jsonb_build_object('n', n), 'x', 'note:replayed') from generate_series(1, 4) n`)
    const since = Date.now() - 60_000
    const client = await openPerson()
    const config = { private: true, broadcast: { replay: { since, limit: 3 } } }
    const channel = client.channel('note:replayed', { config })
    const got = collect(channel, 'x')
    await subscribe(channel)
    await run(`select realtime.send('{"n": 5}', 'x', 'note:replayed')`)
    await expect.poll(() => got.length).toBe(4)
    expect(got.map(({ payload }) => (payload as { n: number }).n).toSorted()).toContain(5)
    expect(got.slice(0, 3).every(({ meta }) => (meta as { replayed: boolean }).replayed)).toBe(true)
  })

  test('arrives once, even if the server crashes afterwards', async () => {
    const client = await openPerson()
    const channel = client.channel('note:once', PRIVATE)
    const got = collect(channel, 'x')
    const { statuses } = await subscribe(channel)
    await run(`select realtime.send('{"n": 1}', 'x', 'note:once')`)
    await expect.poll(() => got.length).toBe(1)
    await holdfast.kill9()
    await holdfast.restart()
    await expect.poll(() => statuses.filter((status) => status === 'SUBSCRIBED').length).toBe(2)
    await run(`select realtime.send('{"n": 2}', 'x', 'note:once')`)
    await expect.poll(() => got.length).toBe(2)
    expect(got.map(({ payload }) => (payload as { n: number }).n)).toEqual([1, 2])
  })
})
