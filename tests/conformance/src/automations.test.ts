import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import {
  type FunctionsWorld,
  type Holdfast,
  openFunctionsWorld,
  openSmtpServer,
  type TestSmtpServer,
} from '@holdfast/test-support'

// What an automation does outside, against what is really there: edge functions, a mail server, web servers. server/test/automation-calls.pg.test.ts has further cases.

const PASSWORD = 'a password of hers'
const FUNCTIONS = {
  'functions/count/index.ts': `Deno.serve(async (request) => Response.json({ title: (await request.json()).record.title }))`,
  'functions/throws/index.ts': `Deno.serve(() => { throw new Error('in the handler') })`,
  'functions/throws-at-start/index.ts': `throw new Error('at the start')`,
  'functions/slow/index.ts': `Deno.serve(async () => { await new Promise((done) => setTimeout(done, 60_000)); return new Response() })`,
}
const ANSWERS: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  '/hangs': () => undefined,
  '/500': (_request, response) => response.writeHead(500).end('down'),
  '/private': (_request, response) => response.writeHead(302, { location: 'http://10.0.0.1/admin' }).end(),
  '/well': (_request, response) => response.end('thanks'),
}

let world: FunctionsWorld
let holdfast: Holdfast
let smtp: TestSmtpServer
let port = 0
let olga: ReturnType<Awaited<ReturnType<Holdfast['supabase']>>['schema']>
let workspace = ''
const received: (string | undefined)[] = []
const receiver = createServer((request, response) => {
  received.push(request.url)
  ANSWERS[request.url ?? '']?.(request, response)
})

beforeAll(async () => {
  smtp = await openSmtpServer()
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve))
  ;({ port } = receiver.address() as AddressInfo)
  world = await openFunctionsWorld(FUNCTIONS, [
    '--email-smtp-host=127.0.0.1',
    `--email-smtp-port=${smtp.port}`,
    `--automations-allow=127.0.0.1:${port}`,
    '--automations-attempts-max=2',
    '--automations-webhook-seconds=1',
    '--automations-function-seconds=3',
  ])
  ;({ holdfast } = world)
  const key = holdfast.serviceRoleKey
  await fetch(`${holdfast.url}/auth/v1/admin/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', apikey: key, authorization: `Bearer ${key}` },
    body: JSON.stringify({ email: 'olga@example.org', password: PASSWORD, email_confirm: true }),
  })
  const [made] = await holdfast.admin.query<{ id: string }>(
    sql`select holdfast.create_workspace('Water', 'olga@example.org') as id`,
  )
  workspace = made?.id ?? ''
  olga = (await holdfast.supabase({ email: 'olga@example.org', password: PASSWORD })).schema('holdfast')
  const fields = [{ name: 'title', label: 'Title', kind: 'text' }]
  const definition = { name: 'jobs', label: 'Jobs', access: { kind: 'members' }, fields }
  expect((await olga.rpc('create_table', { workspace, definition })).error).toBeNull()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
  receiver.closeAllConnections()
  receiver.close()
})

interface Run {
  readonly state: string
  readonly reason: string | null
  readonly steps: readonly object[]
}

/** Runs one step for a new record. @returns the run as an owner sees it, once it has ended */
async function runOf(step: object): Promise<Run> {
  const config = { when: { kind: 'added', table: 'jobs' }, do: [step] }
  const { data: automation } = await olga.rpc('save_automation', { workspace, automation: null, name: 'Test', config })
  expect((await olga.rpc('switch_automation', { automation, is_on: true })).error).toBeNull()
  await holdfast.admin.execute(sql`insert into public.jobs (title) values ('Pump 7')`)
  let run: Run | undefined
  const isOver = async (): Promise<boolean> => {
    const { data } = await olga.from('automation_runs').select('state, reason, steps').eq('automation_id', automation)
    run = data?.[0] as Run | undefined
    return run !== undefined && run.state !== 'waiting'
  }
  await expect.poll(isOver, { timeout: 60_000 }).toBe(true)
  await olga.rpc('delete_automation', { automation })
  if (!run) throw new Error('the automation has run')
  return run
}

test.each<readonly [string, string, object]>([
  ['answers', 'count', { state: 'done', status: 200, answer: '{"title":"Pump 7"}' }],
  ['throws', 'throws', { state: 'failed', status: 500, reason: 'automation.function_failed' }],
  ['throws before it listens', 'throws-at-start', { state: 'failed' }],
  ['never ends', 'slow', { state: 'failed', reason: 'automation.function_timeout', attempts: 1 }],
  ['is not there', 'nothing', { state: 'failed', status: 404, reason: 'automation.no_function' }],
])('a run has the result of a function that %s', async (_title, name, outcome) => {
  const { state, steps } = await runOf({ kind: 'function', name })
  expect(steps).toMatchObject([{ kind: 'function', name, ...outcome }])
  expect(state).toBe((outcome as { readonly state: string }).state)
})

test.each<readonly [string, object, number]>([
  ['/well', { state: 'done', status: 200, answer: 'thanks' }, 1],
  ['/hangs', { state: 'failed', reason: 'automation.no_answer', attempts: 2 }, 2],
  ['/500', { state: 'failed', reason: 'automation.status', status: 500, answer: 'down', attempts: 2 }, 2],
  ['/private', { state: 'failed', reason: 'automation.redirect', status: 302, error: 'http://10.0.0.1/admin' }, 1],
])('a run has the result of a webhook to %s', async (path, outcome, times) => {
  received.length = 0
  const { state, steps } = await runOf({ kind: 'webhook', url: `http://127.0.0.1:${port}${path}` })
  expect(steps).toMatchObject([{ kind: 'webhook', ...outcome }])
  expect(state).toBe((outcome as { readonly state: string }).state)
  expect(received).toEqual(Array.from({ length: times }, () => path))
})

test('a run says what the mail server said, and that it took the mail of another run', async () => {
  const mail = { kind: 'mail', to: ['admins'], subject: 'About {title}', text: 'Look at it.' }
  smtp.refusal = { code: 550, message: '5.1.1 No such mailbox' }
  expect(await runOf(mail)).toMatchObject({
    state: 'failed',
    reason: 'automation.mail_refused',
    steps: [{ kind: 'mail', state: 'failed', error: expect.stringContaining('No such mailbox') as string }],
  })
  expect(smtp.received).toEqual([])
  smtp.refusal = undefined
  expect(await runOf(mail)).toMatchObject({ state: 'done', steps: [{ kind: 'mail', state: 'done', sent: 1 }] })
  expect(smtp.received.map(({ to }) => to)).toEqual([['olga@example.org']])
  expect(smtp.received[0]?.source).toContain('Subject: About Pump 7')
})
