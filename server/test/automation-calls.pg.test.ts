import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createAddressPolicy, createSend } from '@holdfast/functions'
import type { AutomationStep } from '@holdfast/protocol'
import { createPool, type Pool, sql } from '@holdfast/postgres'
import { openAutomationCalls } from '../src/automations/calls.ts'
import { setLimits } from '../src/automations/queue.ts'
import { USERS } from './access-world.ts'
import { ADDED, useAutomationWorld } from './automation-world.ts'

// Webhooks and mails of automations: what the other side does, and what the run says about it.

const given = useAutomationWorld()
const { save, start, addJob, job, runs } = given

interface Received {
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

let pool: Pool
let calls: ReturnType<typeof openAutomationCalls>
let url = ''
let received: Received[] = []
let answer: (request: Received, response: ServerResponse) => void
const sent: { id: string; to: string; text: string; userId: string | undefined }[] = []
let states: { status: 'queued' | 'sent' | 'failed'; error: string | null } = { status: 'sent', error: null }
let hasMail = true

const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    const one = { headers: request.headers, body }
    received.push(one)
    answer(one, response)
  })
})

/** @param allow - hosts besides public ones */
function openCalls(allow: readonly string[]): ReturnType<typeof openAutomationCalls> {
  const policy = createAddressPolicy({
    baseUrl: 'http://127.0.0.1:1',
    listening: { host: '127.0.0.1', port: 1 },
    allow,
    option: 'automationsAllow',
  })
  return openAutomationCalls({
    pool,
    sendOut: createSend({ ...policy, own: () => undefined }, 0),
    sendHome: createSend(policy, 0),
    baseUrl: 'http://127.0.0.1:1',
    anonKey: 'anon',
    tokenOf: () => Promise.resolve('token'),
    mails: {
      send: (mail) => Promise.resolve(void sent.push(mail)),
      statesOf: (ids) => Promise.resolve(ids.map((id) => ({ id, ...states }))),
      get hasMail() {
        return hasMail
      },
      home: 'https://app.example/w/water',
    },
    attemptsMax: 3,
    webhookTimeoutMs: 200,
    functionTimeoutMs: 200,
    retryMs: [5],
    logger: silentLogger,
  })
}

beforeAll(async () => {
  pool = createPool({ url: given.world.database.projectUrl, applicationName: 'test calls', connectionsMax: 3 })
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo
  url = `http://127.0.0.1:${port}/hook`
  calls = openCalls([`127.0.0.1:${port}`])
  await given.world.database.pool.execute(sql`update auth.users set email_confirmed_at = now()`)
})
afterAll(async () => {
  await calls[Symbol.asyncDispose]()
  await pool[Symbol.asyncDispose]()
  receiver.closeAllConnections()
  receiver.close()
})
beforeEach(async () => {
  received = []
  sent.length = 0
  states = { status: 'sent', error: null }
  hasMail = true
  answer = (_request, response) => response.writeHead(200).end('thanks')
  await given.world.database.pool.execute(sql`delete from holdfast.automation_usage`)
})
afterEach(() => given.world.database.pool.execute(sql`delete from holdfast.automation_settings`))

/** Runs what waits, and tries calls until none is due. */
async function settle(): Promise<void> {
  await given.worker.settled()
  const isWaiting = async (): Promise<number> => {
    await calls.settled()
    return (await given.world.database.pool.query(sql`select from holdfast.automation_runs where state = 'waiting'`))
      .length
  }
  await expect.poll(isWaiting, { timeout: 5_000, interval: 10 }).toBe(0)
}

const hook = (more: object = {}): AutomationStep => ({ kind: 'webhook', url, ...more })
const lastStep = async (): Promise<unknown> =>
  ((await runs()).at(-1) as { readonly steps: readonly object[] }).steps.at(-1)

describe('a webhook', () => {
  test('has the record as the steps before left it, a signature, and its answer in the run', async () => {
    const id = await start({
      when: ADDED,
      do: [{ kind: 'update', set: { n: '7' } }, hook({ text: 'About {title}' })],
    })
    const [{ secret } = { secret: '' }] = await given.world.as<{ secret: string }>(
      'olga',
      sql`select holdfast.automation_secret(${id}) as secret`,
    )
    const record = await addJob({ title: 'Pump' })
    await settle()
    expect(await runs()).toMatchObject([{ state: 'done', cause: 'added', reason: null }])
    expect(await lastStep()).toEqual({
      kind: 'webhook',
      url,
      state: 'done',
      status: 200,
      answer: 'thanks',
      attempts: 1,
    })

    const [{ headers, body } = { headers: {}, body: '' }] = received
    expect(JSON.parse(body)).toMatchObject({
      automation: 'Test',
      workspace: 'Water',
      table: 'jobs',
      record: { id: record, title: 'Pump', n: 7 },
      text: 'About Pump',
    })
    const signed = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
    expect(key).toHaveLength(32)
    const signature = createHmac('sha256', key).update(signed).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${signature}`)
  })

  test('that is answered with 500 is sent again, with the same id', async () => {
    answer = (_request, response) => response.writeHead(received.length === 1 ? 500 : 200).end('x')
    await start({ when: ADDED, do: [hook()] })
    await addJob({ title: 'Pump' })
    await settle()
    expect(received).toHaveLength(2)
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(await lastStep()).toMatchObject({ state: 'done', status: 200, attempts: 2 })
  })

  test.each<[string, typeof answer, object, number]>([
    ['hangs', () => undefined, { reason: 'automation.no_answer', error: 'Timeout of 200 ms reached' }, 3],
    [
      'always answers 503',
      (_request, response) => response.writeHead(503).end('later'),
      { reason: 'automation.status', status: 503, answer: 'later' },
      3,
    ],
    [
      'answers 404',
      (_request, response) => response.writeHead(404).end('no'),
      { reason: 'automation.status', status: 404, answer: 'no' },
      1,
    ],
    [
      'redirects to a private address',
      (_request, response) => response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end(),
      { reason: 'automation.redirect', status: 307 },
      1,
    ],
    ['cuts the connection', (_request, response) => void response.destroy(), { reason: 'automation.no_answer' }, 3],
  ])('to a server that %s fails, and the record keeps the change', async (_title, behave, outcome, attempts) => {
    answer = behave
    await start({ when: ADDED, do: [{ kind: 'update', set: { n: '7' } }, hook()] })
    const id = await addJob({ title: 'Pump' })
    await settle()
    expect(received).toHaveLength(attempts)
    expect(await job(id)).toMatchObject({ n: '7' })
    expect(await runs()).toMatchObject([{ state: 'failed', reason: (outcome as { reason: string }).reason }])
    expect(await lastStep()).toMatchObject({ state: 'failed', attempts, ...outcome })
  })

  test.each([
    'http://127.0.0.1:9/x',
    'http://[::1]/x',
    'http://10.1.2.3/',
    'http://169.254.169.254/latest/meta-data',
    'http://localhost:9/',
  ])('to %s is not sent, because the address is private', async (address) => {
    await start({ when: ADDED, do: [{ kind: 'webhook', url: address }] })
    await addJob({ title: 'Pump' })
    await settle()
    expect(await runs()).toMatchObject([{ state: 'failed', reason: 'automation.address' }])
  })

  test('that failed is repeated by itself: the record does not change again', async () => {
    answer = (_request, response) => response.writeHead(404).end()
    await start({ when: ADDED, do: [{ kind: 'create', table: 'tasks', set: { title: 'Once' } }, hook()] })
    await addJob({ title: 'Pump' })
    await settle()
    answer = (_request, response) => response.writeHead(204).end()
    const [run] = await given.world.database.pool.query<{ id: string }>(sql`select id from holdfast.automation_runs`)
    await given.world.as('olga', sql`select holdfast.run_automation_again(${run?.id})`)
    await settle()
    expect(await given.tasks()).toHaveLength(1)
    expect(await runs()).toMatchObject([{ state: 'done', reason: null }])
    expect(await lastStep()).toEqual({ kind: 'webhook', url, state: 'done', status: 204, answer: '', attempts: 1 })
  })

  test('carries a secret header to the origin that it is for, and to no other', async () => {
    const id = await start({ when: ADDED, do: [hook({ header: 'X-Api-Key' })] })
    await addJob({ title: 'No secret yet' })
    await settle()
    expect(await runs()).toMatchObject([{ state: 'failed', reason: 'automation.secret' }])
    await given.world.as('adam', sql`select holdfast.set_automation_header(${id}, ${url}, 'X-Api-Key', 'top secret')`)
    await addJob({ title: 'Pump' })
    await settle()
    expect(received.map(({ headers }) => headers['x-api-key'])).toEqual(['top secret'])
    const moved = { when: ADDED, do: [hook({ header: 'X-Api-Key', url: 'http://localhost:9/' })] }
    await given.world.as(
      'adam',
      sql`select holdfast.save_automation(${given.world.workspace}, ${id}, 'Test', ${JSON.stringify(moved)}::jsonb)`,
    )
    await addJob({ title: 'Valve' })
    await settle()
    expect((await runs()).at(-1)).toMatchObject({ state: 'failed', reason: 'automation.secret' })
    for (const user of ['adam', 'edda'] as const)
      await expect(given.world.as(user, sql`select from holdfast.automation_secrets`)).rejects.toThrow('denied')
  })

  test('of a server that died is sent again after its lease, and the run ends once', async () => {
    answer = () => undefined
    await start({ when: ADDED, do: [hook()] })
    await addJob({ title: 'Pump' })
    await given.worker.settled()
    // Claimed by a server that is gone.
    await given.world.database.pool.execute(
      sql`update holdfast.automation_calls set claim = gen_random_uuid(), attempts = 1, due_at = now()`,
    )
    answer = (_request, response) => response.writeHead(200).end()
    await settle()
    expect(await lastStep()).toMatchObject({ state: 'done', attempts: 2 })
  })

  test('that leads to the same record again and again stops the automation', async () => {
    await setLimits(pool, { 'runs with calls for a record in ten minutes': 3 })
    await start({ when: { kind: 'changed', table: 'jobs' }, do: [hook()] })
    const id = await addJob({ title: 'Pump' })
    for (let n = 0; n < 4; n++) {
      await given.world.as('edda', sql`update public.jobs set n = ${n} where id = ${id}`)
      await settle()
    }
    expect((await runs()).at(-1)).toMatchObject({ state: 'failed', reason: 'automation.loop' })
    expect(await given.world.as('olga', sql`select is_on, paused_reason from holdfast.automations`)).toEqual([
      { is_on: false, paused_reason: 'automation.loop' },
    ])
  })

  test('above the limit of the day is not sent', async () => {
    await setLimits(pool, { 'calls of a workspace in a day': 1 })
    await start({ when: ADDED, do: [hook()] })
    await addJob({ title: 'Pump' })
    await settle()
    await addJob({ title: 'Valve' })
    await settle()
    expect(received).toHaveLength(1)
    expect((await runs()).at(-1)).toMatchObject({ state: 'failed', reason: 'automation.too_many_calls' })
  })

  test.each([
    [{ url: 'ftp://example.org' }, 'automation.url'],
    [{ url: 'https://user:pass@example.org' }, 'automation.url'],
    [{ url: 'https://example.org/{title}' }, 'automation.url'],
    [{ header: 'Host' }, 'automation.header'],
    [{ header: 'Webhook-Signature' }, 'automation.header'],
  ])('%j is refused', async (part, hint) => {
    await expect(save({ when: ADDED, do: [hook(part)] })).rejects.toMatchObject({ hint })
  })
})

describe('a mail', () => {
  const mail = (...to: readonly string[]): AutomationStep => ({
    kind: 'mail',
    to,
    subject: 'About {title}',
    text: 'Hello,\n\n<b>{title}</b> is {state}.',
  })

  test('goes to each recipient once, and the run says that it was sent', async () => {
    const { members } = given.world
    await start({ when: ADDED, do: [mail('admins', 'creator', `member:${members['edda'] ?? ''}`)] })
    await addJob({ title: 'Pump', state: 'open' })
    await settle()
    expect(sent.map(({ to }) => to).toSorted()).toEqual(['adam@example.org', 'edda@example.org', 'olga@example.org'])
    expect(sent[0]).toMatchObject({
      subject: 'About Pump',
      html: expect.stringContaining('&lt;b&gt;Pump&lt;/b&gt; is open.') as string,
    })
    expect(await lastStep()).toMatchObject({ kind: 'mail', state: 'done', sent: 3 })
  })

  test('that the mail server refuses fails with what the server said', async () => {
    states = { status: 'failed', error: '550 no such mailbox' }
    await start({ when: ADDED, do: [mail('admins')] })
    await addJob({ title: 'Pump' })
    await settle()
    expect(await runs()).toMatchObject([
      { state: 'failed', reason: 'automation.mail_refused', error: '550 no such mailbox' },
    ])
  })

  test('without a mail server is captured, which the run calls a failure', async () => {
    hasMail = false
    await start({ when: ADDED, do: [mail('admins')] })
    await addJob({ title: 'Pump' })
    await settle()
    expect(await runs()).toMatchObject([{ state: 'failed', reason: 'automation.no_mail' }])
  })

  test('to an address of no member is saved and switched on by owners only', async () => {
    const config = { when: ADDED, do: [mail('email:partner@elsewhere.example')] }
    const refused = { hint: 'automation.only_owner' }
    await expect(save(config, 'adam')).rejects.toMatchObject(refused)
    const id = await save(config, 'olga')
    await expect(given.world.as('adam', sql`select holdfast.switch_automation(${id}, true)`)).rejects.toMatchObject(
      refused,
    )
    await given.world.as('olga', sql`select holdfast.switch_automation(${id}, true)`)
  })

  test('to other addresses is limited more than mail to members', async () => {
    await setLimits(pool, { 'mails of a workspace to other addresses in a day': 1 })
    await start({ when: ADDED, do: [mail('email:partner@elsewhere.example', 'admins')] }, 'olga')
    await addJob({ title: 'Pump' })
    await settle()
    expect(sent.map(({ to, userId }) => [to, userId])).toContainEqual(['partner@elsewhere.example', undefined])
    await addJob({ title: 'Valve' })
    await settle()
    expect((await runs()).at(-1)).toMatchObject({ state: 'failed', reason: 'automation.too_many_mails' })
    expect(sent).toHaveLength(3)
  })

  test('of an owner who has become an admin no longer goes to other addresses', async () => {
    await start({ when: ADDED, do: [mail('email:partner@elsewhere.example')] }, 'olga')
    const setRole = (role: string): Promise<unknown> =>
      given.world.database.pool.transaction(async (tx) => {
        await tx.execute(sql`alter table holdfast.members disable trigger user`)
        await tx.execute(
          sql`update holdfast.members set role = ${role}::holdfast.workspace_role where user_id = ${USERS.olga.id}`,
        )
        await tx.execute(sql`alter table holdfast.members enable trigger user`)
      })
    await setRole('admin')
    try {
      await addJob({ title: 'Pump' })
      await settle()
      expect(await runs()).toMatchObject([{ state: 'failed', reason: 'automation.no_recipients' }])
      expect(sent).toEqual([])
    } finally {
      await setRole('owner')
    }
  })
})

describe('a notice and an assignment', () => {
  test('push a notice to devices of the recipients only', async () => {
    const user = USERS.adam.id
    await given.world.database.pool.execute(sql`
      insert into holdfast.push_devices (user_id, session_id, endpoint, public_key, secret)
      values (${user}, gen_random_uuid(), 'https://push.example/1', ${'A'.repeat(87)}, ${'A'.repeat(22)})`)
    await start({ when: ADDED, do: [{ kind: 'notify', to: ['admins'], text: '{title}', push: true }] })
    await addJob({ title: 'Pump' })
    await given.worker.settled()
    expect(await runs()).toMatchObject([{ state: 'done' }])
    expect(
      await given.world.database.pool.query(sql`
        select e.user_id, e.kind, n.body from holdfast.push_events e join holdfast.notices n on n.id::text = e.source_id`),
    ).toEqual([{ user_id: user, kind: 'notice', body: 'Pump' }])
  })

  test('assign the record to a member, or say that there is none', async () => {
    const { members } = given.world
    await start({ when: ADDED, do: [{ kind: 'assign', field: 'assignee_id', to: 'creator' }] })
    const id = await addJob({ title: 'Pump' }, 'emil')
    await given.worker.settled()
    expect(await job(id)).toMatchObject({ assignee_id: members['emil'] })
    const orphan = crypto.randomUUID()
    await given.world.database.pool.execute(sql`insert into public.jobs (id, title) values (${orphan}, 'From nobody')`)
    await given.worker.settled()
    expect((await runs()).at(-1)).toMatchObject({ state: 'failed', reason: 'automation.no_assignee' })
  })
})
