/**
 * Invariant: whatever clients do, a connection to Postgres is held for as long as a statement may run and no longer; whoever finds none is told so, and
 * everything is as before afterwards.
 */
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'

/** Connections that requests share. The service key is used here, since one person never has them all. */
const CONNECTIONS = 2

let holdfast: Holdfast

beforeAll(async () => {
  holdfast = await openHoldfast({
    args: [`--request-connections-max=${CONNECTIONS}`, '--rest-statement-timeout-ms=12000', '--rest-rows-max=0'],
  })
  await holdfast.admin.withClient((client) =>
    client.query(`
      alter role service_role reset statement_timeout;
      create function public.wait(seconds float) returns void language sql as $$ select pg_sleep(seconds) $$;
      create function public.large() returns text language sql stable as $$ select repeat('0123456789', 3000000) $$;
      notify pgrst;`),
  )
  await vi.waitFor(async () => expect((await ask('/rpc/wait?seconds=0')).status).toBe(204), 60_000)
})

afterAll(() => holdfast[Symbol.asyncDispose]())

function ask(path: string): Promise<Response> {
  return fetch(`${holdfast.url}/rest/v1${path}`, { headers: { apikey: holdfast.serviceRoleKey } })
}

/** Sends a request and reads nothing. */
async function send(path: string): Promise<Socket> {
  const { hostname, port } = new URL(holdfast.url)
  const socket = await new Promise<Socket>((resolve, reject) => {
    const opened = connect({ host: hostname, port: Number(port) }, () => resolve(opened))
    opened.once('error', reject)
  })
  socket.on('error', () => undefined)
  socket.pause()
  socket.write(`GET /rest/v1${path} HTTP/1.1\r\nhost: x\r\napikey: ${holdfast.serviceRoleKey}\r\n\r\n`)
  return socket
}

/** What the connections of requests are at. */
async function states(): Promise<string[]> {
  return holdfast.admin.withClient(async (client) => {
    const text = `select state from pg_stat_activity where application_name = 'holdfast request'`
    return (await client.query<{ state: string }>(text)).rows.map(({ state }) => state)
  })
}

describe('connections of requests', () => {
  test('are not held by clients that do not read', async () => {
    const sockets = await Promise.all(Array.from({ length: 8 }, () => send('/rpc/large')))
    await expect.poll(() => ask('/rpc/wait?seconds=0').then(({ status }) => status), { timeout: 60_000 }).toBe(204)
    await expect.poll(async () => new Set(await states()), { timeout: 60_000 }).toEqual(new Set(['idle']))
    for (const socket of sockets) socket.destroy()
  })

  test('serve no client that has gone before its turn', async () => {
    const [first, second, ...waiting] = await Promise.all(Array.from({ length: 12 }, () => send('/rpc/wait?seconds=5')))
    await expect.poll(async () => (await states()).filter((state) => state === 'active').length).toBe(CONNECTIONS)
    for (const socket of [first, second, ...waiting]) socket?.destroy()
    // If it had to wait for the abandoned requests, half a minute on two connections, it would be refused.
    expect((await ask('/rpc/wait?seconds=0')).status).toBe(204)
  })

  test('that are all in use make others wait, and then say so', async () => {
    const busy = Array.from({ length: CONNECTIONS }, () => ask('/rpc/wait?seconds=30'))
    await expect.poll(async () => (await states()).filter((state) => state === 'active').length).toBe(CONNECTIONS)
    const refused = await ask('/rpc/wait?seconds=0')
    expect({ status: refused.status, body: await refused.json() }).toMatchObject({
      status: 504,
      body: { code: 'PGRST003' },
    })
    const ended = await Promise.all(busy.map(async (answer) => (await answer).json()))
    expect(ended).toMatchObject(Array.from({ length: CONNECTIONS }, () => ({ code: '57014' })))
    expect((await ask('/rpc/wait?seconds=0')).status).toBe(204)
  })
})
