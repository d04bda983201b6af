import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { ColumnDescriptor, SchemaDescriptor } from '@holdfast/protocol'
import { memoryStore } from '../key-value.ts'
import { cachedSchema } from '../schema/fetch-schema.ts'
import { openPlayedDevice } from '../upload/played-device.test-support.ts'
import { Connection } from './connection.ts'
import { fetchFirstSchema } from './first-schema.ts'
import { LocalSchema } from './local-schema.ts'

const column = (name: string, more: Partial<ColumnDescriptor> = {}): ColumnDescriptor => ({
  name,
  local: 'text',
  type: 'text',
  nullable: true,
  hasDefault: false,
  generated: false,
  ...more,
})
const describeTables = (version: string, ...columns: readonly ColumnDescriptor[]): SchemaDescriptor => ({
  version,
  tables: [
    {
      name: 'tasks',
      schema: 'public',
      table: 'tasks',
      columns: [column('id'), ...columns],
      can: { insert: true, update: true, delete: true },
      indexes: [],
    },
  ],
})

/** A server that describes its schema or fails to. */
interface SchemaServer {
  url: string
  schema: SchemaDescriptor | undefined
  requests: number
  /** A response waits for it. */
  held?: Promise<void> | undefined
}

const ending: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

async function serve(schema: SchemaDescriptor | undefined): Promise<SchemaServer> {
  const world: SchemaServer = { url: '', schema, requests: 0 }
  const server = createServer(async (request, response) => {
    world.requests += 1
    const { schema: described, held } = world
    await held
    if (!described) return void response.writeHead(503).end(JSON.stringify({ error: { description: 'compiling' } }))
    const isKnown = request.headers['if-none-match'] === `"${described.version}"`
    response.writeHead(isKnown ? 304 : 200).end(isKnown ? undefined : JSON.stringify(described))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  world.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  ending.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return world
}

describe('the tables of an open database', () => {
  const first = describeTables('1', column('title'))
  const second = describeTables(
    '2',
    column('title'),
    column('state', { guard: 'column' }),
    column('site_id', { references: { table: 'sites', column: 'id' } }),
  )

  async function open(server: SchemaServer): Promise<{
    readonly local: LocalSchema
    readonly device: Awaited<ReturnType<typeof openPlayedDevice>>
    readonly store: ReturnType<typeof memoryStore>
    answers: number
  }> {
    const device = await openPlayedDevice()
    const store = memoryStore()
    const world = { device, store, answers: 0 }
    const connection = new Connection(
      device.database,
      () => ({}) as never,
      () => undefined,
    )
    const local = new LocalSchema(device.database, connection, {
      url: server.url,
      userId: 'a',
      schema: first,
      omitted: [],
      store,
      fetch: globalThis.fetch,
      random: () => 0.5,
      token: async () => 'token',
      onAnswer: () => {
        world.answers += 1
      },
      inBackground: () => undefined,
    })
    ending.push(async () => {
      local[Symbol.dispose]()
      await device[Symbol.asyncDispose]()
    })
    return Object.assign(world, { local })
  }

  test('are the latest, although an older response comes after it', async () => {
    const server = await serve(describeTables('1.5', column('title')))
    const { local } = await open(server)
    const held = Promise.withResolvers<void>()
    server.held = held.promise
    const older = local.refresh()
    await expect.poll(() => server.requests).toBe(1)
    Object.assign(server, { schema: second, held: undefined })
    const newer = local.refresh()
    setTimeout(held.resolve, 100)
    await Promise.all([older, newer])
    expect(local.value.get()).toEqual(second)
  })

  test('follow the server: columns, links and guards, and what waits stays', async () => {
    const server = await serve(second)
    const { local, device, store } = await open(server)
    await device.database.execute(`insert into tasks (id, title) values ('t1', 'waiting')`)
    await local.refresh()
    expect(local.value.get()).toEqual(second)
    expect(await device.database.getAll('select title, state from tasks')).toEqual([{ title: 'waiting', state: null }])
    expect([...local.rules.linksOf('tasks')]).toEqual([['site_id', 'sites']])
    expect(local.rules.guardOf?.('tasks', 'state')).toBe('column')
    expect(await device.waiting()).toBe(1)
    expect(await cachedSchema(store, 'a')).toEqual(second)
  })

  test('are there but for those that the SDK cannot create, and rows and changes stay', async () => {
    const [tasks] = second.tables
    if (!tasks) throw new Error('there is a table')
    const named = (name: string) => ({ ...tasks, name, table: name })
    const names = ['a', 'taken', 'b', 'ps_crud', 'c']
    const server = await serve({ version: '2', tables: [tasks, ...names.map(named)] })
    const { local, device } = await open(server)
    // Any failure; here the table name already exists in SQLite.
    await device.database.execute(`create table taken (x)`)
    await device.database.execute(`insert into tasks (id, title) values ('t1', 'waiting')`)
    await local.refresh()
    expect(local.value.get().tables.map(({ name }) => name)).toEqual(['tasks', 'a', 'b', 'c'])
    expect(local.omitted.get()).toEqual(['taken', 'ps_crud'])
    for (const name of ['a', 'b', 'c']) expect(await device.database.getAll(`select * from ${name}`)).toEqual([])
    expect(await device.database.getAll('select title, state from tasks')).toEqual([{ title: 'waiting', state: null }])
    expect(await device.waiting()).toBe(1)
  })

  test('are not rebuilt when nothing has changed', async () => {
    const server = await serve(first)
    const { local, store } = await open(server)
    await local.refresh()
    expect([server.requests, local.value.get()]).toEqual([1, first])
    expect(await cachedSchema(store, 'a')).toBeUndefined()
  })

  test('stay as they are while the server has no answer, which is no sign of life', async () => {
    const server = await serve(undefined)
    const world = await open(server)
    await world.local.refresh()
    expect([world.local.value.get(), world.answers]).toEqual([first, 0])
    server.schema = second
    await world.local.refresh()
    expect([world.local.value.get().version, world.answers]).toEqual(['2', 1])
  })
})

describe('the first tables of a person on a device', () => {
  const tokens = (token: () => Promise<string | undefined>) => ({
    tokensOf: () => ({
      token,
      refreshedToken: token,
      credentials: async () => undefined,
      verify: async () => undefined,
    }),
  })

  test('are kept for the next start', async () => {
    const { url } = await serve(describeTables('1'))
    const store = memoryStore()
    const options = { url, store, fetch: globalThis.fetch, random: () => 0.5, session: tokens(async () => 'token') }
    const asked = { userId: 'a', signal: new AbortController().signal, onProblem: () => undefined }
    expect(await fetchFirstSchema(options, asked)).toEqual(describeTables('1'))
    expect(await cachedSchema(store, 'a')).toEqual(describeTables('1'))
  })

  test.each([
    ['the server says why', async () => 'token', 'compiling'],
    [
      'the session cannot be refreshed',
      async () => Promise.reject(new Error('no network')),
      'The session cannot be confirmed now',
    ],
  ])('take longer when %s, until the person leaves', async (_what, token, problem) => {
    const { url } = await serve(undefined)
    const leaving = new AbortController()
    const problems: string[] = []
    const options = { url, store: memoryStore(), fetch: globalThis.fetch, random: () => 0.5, session: tokens(token) }
    const found = await fetchFirstSchema(options, {
      userId: 'a',
      signal: leaving.signal,
      onProblem: (text) => {
        problems.push(text)
        leaving.abort()
      },
    })
    expect([found, problems]).toEqual([undefined, [problem]])
  })
})
