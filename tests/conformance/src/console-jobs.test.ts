import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import type {
  JobList,
  JobRun,
  ListedAuditEntry,
  ListedJob,
  ListedQueue,
  Mailbox,
  QueueMessage,
  WebhookList,
} from '@holdfast/protocol'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { type ConsoleBrowser, openOperator, openOwner } from './console-world.ts'

// What runs without a request, in the console: scheduled jobs, requests of the database, queues, and mails.

let holdfast: Holdfast
let developer: ConsoleBrowser
let viewer: ConsoleBrowser

beforeAll(async () => {
  // A failed request is not tried again.
  holdfast = await openHoldfast({ args: ['--webhooks-attempts-max=1'] })
  const owner = await openOwner(holdfast)
  developer = await openOperator(holdfast, owner, 'developer')
  viewer = await openOperator(holdfast, owner, 'viewer')
})
afterAll(() => holdfast[Symbol.asyncDispose]())

async function newestAction(action: string): Promise<ListedAuditEntry | undefined> {
  const { entries } = await developer.ask<{ entries: readonly ListedAuditEntry[] }>(`GET /audit?action=${action}`)
  return entries[0]
}

describe('scheduled jobs', () => {
  const schedule = async (name: string, when: string, command: string): Promise<string> => {
    const [row] = await holdfast.admin.query<{ id: string }>(
      sql`select cron.schedule(${name}, ${when}, ${command})::text as id`,
    )
    return row?.id ?? ''
  }
  const find = async (id: string, browser = developer): Promise<ListedJob | undefined> =>
    (await browser.ask<JobList>('GET /jobs')).jobs.find((one) => one.id === id)
  const runsOf = async (id: string): Promise<readonly JobRun[]> =>
    (await developer.ask<{ runs: readonly JobRun[] }>(`GET /jobs/${id}/runs`)).runs

  test('are listed with their next run, and commands for developers only', async () => {
    const id = await schedule('yearly', '30 6 1 1 *', `select 'a secret key'`)
    const job = await find(id)
    expect(job).toMatchObject({ name: 'yearly', schedule: '30 6 1 1 *', isActive: true, lastRun: null })
    expect(job?.nextAt).toMatch(/^20\d\d-01-01T06:30:00.000Z$/)
    expect(job?.command).toContain('a secret key')
    expect(await find(id, viewer)).toMatchObject({ name: 'yearly', command: null })
  })

  test.each([
    '0 3 * * *',
    '30,5 6,18 * * mon',
    '0 1 $ * *',
    '0 4 13 * 5',
    '*/20 2-4 */9 * *',
    '0 5 * * 7',
    '15 0 1-7 * *',
  ])('next run at the minute that Postgres finds for %s', async (when) => {
    const id = await schedule(when, when, 'select 1')
    const found = async (): Promise<boolean> => {
      const [row] = await holdfast.internal.query<{ next: Date }>(sql`
          select min(minute) as next
            from generate_series(date_trunc('minute', now()) + interval '1 minute', now() + interval '32 days', interval '1 minute') minute
           where cron.holdfast_matches(cron.holdfast_parse(${when}), minute at time zone 'UTC')`)
      return row?.next.toISOString() === (await find(id))?.nextAt
    }
    // A minute may end between the two answers.
    await expect.poll(found).toBe(true)
  })

  test('run at once as their owner, and the run is listed with its result', async () => {
    await holdfast.admin.execute(sql`create table public.ran (who text)`)
    const id = await schedule('now', '0 0 1 1 *', 'insert into public.ran select current_user')
    await developer.ask(`POST /jobs/${id}/run`)
    await expect.poll(async () => (await runsOf(id)).map(({ status }) => status)).toEqual(['succeeded'])
    const [run] = await runsOf(id)
    expect(run?.message).toBe('INSERT 0 1')
    expect(Date.parse(run?.endedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(run?.startedAt ?? ''))
    const ran = await holdfast.admin.query<{ who: string; is_me: boolean }>(
      sql`select who, who = current_user as is_me from public.ran`,
    )
    expect(ran).toMatchObject([{ is_me: true }])
    expect((await find(id, viewer))?.lastRun).toMatchObject({ status: 'succeeded', message: null })
    expect(await newestAction('run_job')).toMatchObject({
      target: `job ${id} (now)`,
      after: { command: 'insert into public.ran select current_user' },
      error: null,
    })
  })

  test('show why a run failed', async () => {
    const id = await schedule('broken', '0 0 1 1 *', 'select 1 / 0')
    await developer.ask(`POST /jobs/${id}/run`)
    await expect.poll(async () => (await runsOf(id))[0]?.status).toBe('failed')
    expect((await runsOf(id))[0]?.message).toContain('division by zero')
  })

  test('are switched off and on, and one that is off does not run', async () => {
    const id = await schedule('switched', '0 0 1 1 *', 'select 1')
    await developer.ask(`PATCH /jobs/${id}`, { isActive: false })
    expect(await find(id)).toMatchObject({ isActive: false, nextAt: null })
    expect(await developer.refusal(`POST /jobs/${id}/run`)).toBe('409 job_not_run')
    expect(await newestAction('switch_job')).toMatchObject({ before: { isActive: true }, after: { isActive: false } })
    await developer.ask(`PATCH /jobs/${id}`, { isActive: true })
    expect(await find(id)).toMatchObject({ isActive: true })
  })

  test('that do not exist are refused, and viewers change none', async () => {
    expect(await developer.refusal('POST /jobs/987654321/run')).toBe('404 job_unknown')
    expect(await developer.refusal('PATCH /jobs/987654321', { isActive: false })).toBe('404 job_unknown')
    expect(await developer.refusal('POST /jobs/x/run')).toBe('400 invalid_request')
    expect(await viewer.refusal('POST /jobs/1/run')).toBe('403 role_too_low')
    expect(await viewer.refusal('PATCH /jobs/1', { isActive: false })).toBe('403 role_too_low')
  })
})

describe('requests of the database', () => {
  const list = (browser = developer, query = ''): Promise<WebhookList> =>
    browser.ask<WebhookList>(`GET /webhooks${query}`)

  /** A request whose first attempt failed, to be tried again in an hour. */
  async function waiting(): Promise<string> {
    const [row] = await holdfast.internal.query<{ id: string }>(sql`
      insert into net.http_request_queue (method, url, timeout_milliseconds, source, attempts, due_at, last_error)
      values ('GET', ${`${holdfast.url}/health?key=hidden`}, 5000, 'role postgres', 1, now() + interval '1 hour', 'answered with 503')
      returning id::text`)
    return row?.id ?? ''
  }

  test('that wait are listed with why, and sent at once', async () => {
    const id = await waiting()
    const find = async (browser?: ConsoleBrowser) => (await list(browser)).waiting.find((one) => one.id === id)
    expect(await find()).toMatchObject({ method: 'GET', attempts: 1, lastError: 'answered with 503' })
    expect((await find())?.url).toContain('/health?key=hidden')
    expect(JSON.stringify(await list(viewer))).not.toContain('hidden')
    await developer.ask(`POST /webhooks/${id}/send`)
    await expect.poll(async () => (await list()).outcomes.find((one) => one.id === id)?.status).toBe(200)
    expect(await find()).toBeUndefined()
    expect(await newestAction('send_webhook')).toMatchObject({ target: `request ${id}`, error: null })
    expect(await developer.refusal(`POST /webhooks/${id}/send`)).toBe('404 request_unknown')
  })

  test('are cancelled', async () => {
    const id = await waiting()
    await developer.ask(`DELETE /webhooks/${id}`)
    expect((await list()).waiting.some((one) => one.id === id)).toBe(false)
    expect(await newestAction('cancel_webhook')).toMatchObject({ before: { method: 'GET', attempts: 1 } })
    expect(await developer.refusal(`DELETE /webhooks/${id}`)).toBe('404 request_unknown')
    expect(await viewer.refusal(`DELETE /webhooks/${id}`)).toBe('403 role_too_low')
  })

  test('that failed name the webhook and the reason', async () => {
    await holdfast.admin.execute(sql`create table public.watched (id int)`)
    await holdfast.admin.execute(sql`
      create trigger tell after insert on public.watched for each row
        execute function supabase_functions.http_request('http://127.0.0.1:9/', 'POST', '{}', '{}', '1000')`)
    await holdfast.admin.execute(sql`insert into public.watched values (1)`)
    const find = async () =>
      (await list(developer, '?state=failed')).outcomes.find(({ webhook }) => webhook === 'tell on public.watched')
    await expect.poll(find).toMatchObject({ status: null, error: expect.stringContaining('127.0.0.1') as string })
    const failed = (await list(viewer, '?state=failed')).outcomes
    expect(failed[0]).toMatchObject({ content: null, error: 'Shown to developers only.' })
  })
})

describe('queues', () => {
  const messagesOf = async (name: string): Promise<readonly QueueMessage[]> =>
    (await developer.ask<{ messages: readonly QueueMessage[] }>(`GET /queues/${name}/messages`)).messages

  test('without the extension are none', async () => {
    expect(await viewer.ask('GET /queues')).toEqual({ queues: [] })
    expect(await developer.refusal('GET /queues/none/messages')).toBe('404 queue_unknown')
  })

  test('are listed, and their messages are read without hiding them', async () => {
    await holdfast.admin.execute(sql`create extension pgmq`)
    await holdfast.admin.execute(sql`select pgmq.create('Mails-out')`)
    await holdfast.admin.execute(sql`select pgmq.send('Mails-out', '{"to": "ada"}')`)
    await holdfast.admin.execute(sql`select pgmq.send('Mails-out', '{"to": "later"}', 600)`)
    const { queues } = await viewer.ask<{ queues: readonly ListedQueue[] }>('GET /queues')
    expect(queues).toMatchObject([{ name: 'Mails-out', messages: 2, visible: 1 }])
    const before = await messagesOf('Mails-out')
    expect(before.map(({ message, reads }) => [JSON.parse(message), reads])).toEqual([
      [{ to: 'ada' }, 0],
      [{ to: 'later' }, 0],
    ])
    expect(await messagesOf('Mails-out')).toEqual(before)
    const read = await holdfast.admin.query(sql`select msg_id from pgmq.read('Mails-out', 0, 10)`)
    expect(read).toHaveLength(1)
    expect(await viewer.refusal('GET /queues/Mails-out/messages')).toBe('403 role_too_low')
  })

  test('lose messages that are archived or deleted, each with an entry in the audit log', async () => {
    const [first, second] = await messagesOf('Mails-out')
    await developer.ask(`POST /queues/Mails-out/messages/${first?.id}/archive`)
    await developer.ask(`DELETE /queues/Mails-out/messages/${second?.id}`)
    expect(await messagesOf('Mails-out')).toEqual([])
    const archived = await holdfast.admin.query<{ id: string }>(
      sql`select msg_id::text as id from ${sql.identifier('pgmq', 'a_mails-out')}`,
    )
    expect(archived).toEqual([{ id: first?.id }])
    expect(await newestAction('delete_message')).toMatchObject({
      target: `message ${second?.id} of queue Mails-out`,
      before: { message: '{"to": "later"}' },
    })
    expect(await developer.refusal(`DELETE /queues/Mails-out/messages/${second?.id}`)).toBe('404 message_unknown')
    expect(await viewer.refusal(`DELETE /queues/Mails-out/messages/1`)).toBe('403 role_too_low')
  })

  test('that are no queue are refused, whatever they are called', async () => {
    for (const name of ['mails-out', 'x"; drop table pgmq.meta; --', 'meta'])
      expect(await developer.refusal(`GET /queues/${encodeURIComponent(name)}/messages`), name).toBe(
        '404 queue_unknown',
      )
  })
})

describe('the mailbox', () => {
  test('has captured mails, read as text by developers and logged; viewers see masked addresses', async () => {
    const { user } = await developer.ask<{ user: { id: string } }>('POST /users', {
      email: 'ada@example.org',
      email_confirm: true,
    })
    await developer.ask(`POST /users/${user.id}/recover`)
    const box = await developer.ask<Mailbox>('GET /mailbox')
    expect(box.isCaptured).toBe(true)
    const [mail] = box.mails
    expect(mail).toMatchObject({ recipient: 'ada@example.org', kind: 'recovery', status: 'captured' })
    const text = await developer.ask<{ body: string; link: string }>(`GET /mailbox/${mail?.id}`)
    expect(text.link).toContain('/auth/confirm?token=')
    expect(text.body).toContain(text.link)
    expect(await newestAction('read_mail')).toMatchObject({ target: `mail ${mail?.id}` })
    const seen = await viewer.ask<Mailbox>('GET /mailbox')
    expect(seen.mails[0]).toMatchObject({ recipient: 'a•••@e•••', subject: '' })
    expect(await viewer.refusal(`GET /mailbox/${mail?.id}`)).toBe('403 role_too_low')
    expect(await developer.refusal('GET /mailbox/00000000-0000-4000-8000-000000000000')).toBe('404 mail_unknown')
    expect(await developer.refusal('GET /mailbox/x')).toBe('404 mail_unknown')
  })

  test('tells why mails were not sent', async () => {
    await holdfast.internal.execute(sql`
      insert into auth.messages (channel, kind, recipient, subject, body, status, attempts, last_error, created_at)
      values ('mail', 'recovery', 'bob@example.org', 'Reset', '', 'failed', 5, 'the server refused the recipient', now())`)
    const { mails } = await developer.ask<Mailbox>('GET /mailbox?state=failed')
    expect(mails).toMatchObject([
      { recipient: 'bob@example.org', attempts: 5, lastError: 'the server refused the recipient' },
    ])
    const masked = await viewer.ask<Mailbox>('GET /mailbox?state=failed')
    expect(masked.mails[0]?.lastError).toBe('Shown to developers only.')
  })
})
