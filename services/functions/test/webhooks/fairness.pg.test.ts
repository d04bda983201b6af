import { describe, expect, test } from 'vitest'
import { runAs, sql } from '@holdfast/postgres'
import { db, openReceiver, post, project, responseTo, start, wakeAll, withWebhooksWorld } from './webhooks-world.ts'

withWebhooksWorld()

// No receiver, table or role costs the others.

describe('a receiver that hangs', () => {
  test('costs the others nothing, however many requests wait for it', async () => {
    const hanging = await openReceiver(() => undefined)
    const fine = await openReceiver()
    await project.query(
      sql`select net.http_get(${hanging.url}, timeout_milliseconds := 60000) from generate_series(1, 500)`,
    )
    start({ connections: 4 })
    await expect.poll(() => hanging.received.length).toBe(1)
    for (let count = 1; count <= 8; count++) {
      const id = await post(fine.url)
      wakeAll()
      await expect.poll(() => responseTo(id)).toMatchObject({ status_code: 200 })
    }
    expect(hanging.received).toHaveLength(1)
  })

  test('is one function of the project only', async () => {
    await project.query(sql`
      select net.http_get(url) from unnest(array['http://u:p@h:8000/functions/v1/One/x?y', 'http://H:8000/functions/v1/one?z', 'http://h:8000/functions/v1/two',
                                                 'http://h:8000/rest/v1/', 'https://h', 'nothing']) url`)
    const rows = await project.query<{ receiver: string }>(sql`select receiver from net.http_request_queue order by id`)
    expect(rows.map(({ receiver }) => receiver)).toEqual([
      'http://h:8000/functions/v1/one',
      'http://h:8000/functions/v1/one',
      'http://h:8000/functions/v1/two',
      'http://h:8000',
      'https://h',
      '',
    ])
  })
})

describe('a table or role that has many requests', () => {
  const table = async (name: string, url: string): Promise<void> => {
    await project.execute(sql`create table public.${sql.identifier(name)} (id int primary key)`)
    await project.execute(sql`
      create trigger hook after insert on public.${sql.identifier(name)} for each row
        execute function supabase_functions.http_request(${sql.trusted(`'${url}'`)}, 'POST', '{}', '{}', '60000')`)
  }

  test('delays another one of the same receiver by a request, not by all of them', async () => {
    const answered: string[] = []
    const waiting: (() => void)[] = []
    const receiver = await openReceiver((response) => waiting.push(() => response.end('ok')))
    await table('many', receiver.url)
    await table('few', receiver.url)
    await project.execute(sql`insert into public.many select generate_series(1, 50)`)
    const webhooks = start({ connections: 4 })
    await expect.poll(() => waiting.length).toBe(1)
    await project.execute(sql`insert into public.few values (1)`)
    webhooks.wake()
    while (!answered.includes('few')) {
      await expect.poll(() => waiting.length).toBe(answered.length + 1)
      answered.push((JSON.parse(receiver.received.at(-1)?.body ?? '') as { readonly table: string }).table)
      waiting[answered.length - 1]?.()
    }
    expect(answered).toEqual(['many', 'few'])
  })

  test('is refused more, with the reason, until some of them were sent; others are not', async () => {
    let isOpen = false
    const receiver = await openReceiver((response) => (isOpen ? response.end() : response.destroy()))
    await table('full_one', receiver.url)
    await table('other_one', receiver.url)
    await project.execute(sql`insert into public.full_one select generate_series(1, 120)`)
    const webhooks = start({ connections: 4, waiting: 100 })
    const full = sql`select source, reason from net.holdfast_full`
    await expect
      .poll(() => project.query(full))
      .toEqual([{ source: 'table public.full_one', reason: '120 wait to be sent, of at most 100' }])
    const refused = project.execute(sql`insert into public.full_one values (0)`)
    await expect(refused).rejects.toMatchObject({
      code: '53000',
      message: expect.stringContaining('are not taken from table public.full_one at the moment: 120 wait'),
    })
    await project.execute(sql`insert into public.other_one values (1)`)
    expect(await post(receiver.url)).toMatch(/^\d+$/)
    isOpen = true
    const sendAll = async (): Promise<unknown> => {
      await db.pool.execute(sql`update net.http_request_queue set due_at = now() where last_error is not null`)
      webhooks.wake()
      return project.query(full)
    }
    await expect.poll(sendAll).toEqual([])
    await project.execute(sql`insert into public.full_one values (0)`)
  })

  test('is known by the role of the caller, within functions of others too', async () => {
    await project.execute(sql`
      create function public.call_out() returns bigint language sql security definer set search_path = '' as $$ select net.http_get('https://public.example/') $$`)
    await runAs(db.requestPool, { role: 'authenticated', claims: {} }, (tx) => tx.query(sql`select public.call_out()`))
    expect(await project.query(sql`select source from net.http_request_queue`)).toEqual([
      { source: 'role authenticated' },
    ])
  })
})
