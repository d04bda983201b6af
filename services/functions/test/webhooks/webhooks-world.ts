import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createPool, sql, type Pool } from '@holdfast/postgres'
import { QueueWorker } from '@holdfast/queue'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { webhookMigrations } from '../../src/migrations.ts'
import { createAddressPolicy } from '../../src/webhooks/address-policy.ts'
import { openWebhooks } from '../../src/webhooks/webhooks.ts'

interface Received {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly received: Received[]
}

const open: AsyncDisposable[] = []
// Bound anew for each test file that calls `withWebhooksWorld`.
export let db: TestDatabase
export let project: Pool

/** Gives the tests of a file a database, and ends after each test what it opened. Files share this module, so each says it for itself. */
export function withWebhooksWorld(): void {
  beforeAll(async () => {
    db = await openTestDatabase({ migrations: [webhookMigrations] })
    project = createPool({ url: db.projectUrl, applicationName: 'test project', connectionsMax: 2 })
  })
  afterEach(async () => {
    for (const one of open.splice(0).toReversed()) await one[Symbol.asyncDispose]()
    await db.pool.execute(
      sql`truncate net.http_request_queue, net._http_response, net.holdfast_full, supabase_functions.hooks`,
    )
  })
  afterAll(async () => {
    await project[Symbol.asyncDispose]()
    await db[Symbol.asyncDispose]()
  })
}

export async function openReceiver(
  answer: (response: ServerResponse, count: number) => void = (response) => response.end('ok'),
): Promise<Receiver> {
  const received: Received[] = []
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, headers } = request
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      answer(response, received.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  open.push(receiver)
  return receiver
}

/** @param allow - receivers of tests are on this machine, which is not public */
export function start(
  given: {
    readonly allow?: readonly string[]
    readonly attempts?: number
    readonly connections?: number
    readonly waiting?: number
  } = {},
): ReturnType<typeof openWebhooks> {
  const webhooks = openWebhooks({
    pool: db.pool,
    addressPolicy: createAddressPolicy({
      baseUrl: 'https://project.example',
      listening: { host: '127.0.0.1', port: 9 },
      allow: given.allow ?? ['127.0.0.0/8'],
    }),
    options: {
      webhooksEnabled: true,
      webhooksAllow: [],
      webhooksAttemptsMax: given.attempts ?? 5,
      webhooksConnectionsMax: given.connections ?? 32,
      webhooksWaitingMax: given.waiting ?? 100_000,
      webhooksResponsesKeptHours: 6,
    },
    logger: silentLogger,
  })
  open.push(webhooks)
  webhooks.wake()
  return webhooks
}

export async function post(
  url: string,
  body: unknown = {},
  headers: unknown = { 'Content-Type': 'application/json' },
): Promise<string> {
  const [row] = await project.query<{ id: string }>(
    sql`select net.http_post(${url}, ${JSON.stringify(body)}::jsonb, headers := ${JSON.stringify(headers)}::jsonb)::text as id`,
  )
  return row?.id ?? ''
}

interface Response {
  readonly status_code: number | null
  readonly content_type: string | null
  readonly headers: Readonly<Record<string, string>> | null
  readonly content: string | null
  readonly timed_out: boolean
  readonly error_msg: string | null
}

/** As projects read it. */
export async function responseTo(id: string): Promise<Response | undefined> {
  const [row] = await project.query<Response>(sql`select * from net._http_response where id = ${id}::bigint`)
  return row
}

export async function queued(): Promise<number> {
  const [row] = await project.query<{ count: number }>(sql`select count(*)::int4 as count from net.http_request_queue`)
  return row?.count ?? -1
}

/** Looks at the queue now. */
export function wakeAll(): void {
  for (const one of open) if (one instanceof QueueWorker) one.wake()
}
