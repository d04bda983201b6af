import type { WriteRules } from '@holdfast/protocol'
import { expect, test } from 'vitest'
import { memoryStore } from '../key-value.ts'
import { ana, openWorld, withDeviceWorlds, write } from '../local/device-world.test-support.ts'
import { createValue } from '../value.ts'
import { LateWriteRules } from './late-write-rules.ts'
import { LocalWriteRules } from './local-write-rules.ts'

withDeviceWorlds()

const note = { id: '1', body: 'Pipes' }
const RULES: WriteRules = {
  version: '1',
  tables: {
    notes: {
      delete: {
        using: {
          permissive: [{ name: 'editors', when: { is: 'value', value: { fact: 'editor' } } }],
          restrictive: [],
        },
        set: [],
        filled: [],
      },
    },
  },
  facts: { editor: { value: 'false', reads: ['notes'] } },
}

test('what could not be judged while a row changed is judged again once the server says that the rules are the same', async () => {
  const world = await openWorld(ana)
  const local = await world.opened('a')
  const asked: (string | null)[] = []
  const { promise: changed, resolve: change } = Promise.withResolvers<void>()
  using rules = await LocalWriteRules.open(local.database, {
    url: 'http://127.0.0.1:1',
    userId: 'a',
    store: memoryStore(),
    schema: createValue(local.schema.get()),
    random: () => 0.5,
    token: async () => 'token',
    inBackground: () => undefined,
    async fetch(_, init) {
      const known = new Headers(init?.headers).get('if-none-match')
      asked.push(known)
      // A row behind a fact changes while the second response is in transit.
      if (asked.length === 2) await changed
      return known === null ? Response.json(RULES) : new Response(null, { status: 304 })
    },
  })
  const judged: string[] = []
  const judge = async (): Promise<void> => {
    const [judgement] = await rules.judge([{ table: 'notes', command: 'delete', before: note }])
    judged.push(judgement?.kind ?? '')
  }
  await rules.refresh()
  await judge()
  rules.value.subscribe(() => void judge())
  const second = rules.refresh()
  await write(local, 'changed')
  // As if received from the server.
  await local.database.execute('delete from ps_crud')
  await expect
    .poll(async () => (await rules.judge([{ table: 'notes', command: 'delete', before: note }]))[0]?.kind)
    .toBe('unknown')
  change()
  await second
  await judge()
  expect(judged).toEqual(['refused', 'unknown'])
  await rules.refresh()
  await expect.poll(() => judged).toEqual(['refused', 'unknown', 'refused'])
  await rules.refresh()
  expect(judged).toHaveLength(3)
  expect(asked).toEqual([null, '"1"', '"1"', '"1"'])
})

test('the first judgement of a device waits for its rules, and for none without a connection', async () => {
  const world = await openWorld(ana)
  const { database, schema } = await world.opened('a')
  const { promise: answered, resolve: answer } = Promise.withResolvers<Response>()
  const open = (fetch: () => Promise<Response>): LateWriteRules =>
    new LateWriteRules(
      () =>
        LocalWriteRules.open(database, {
          url: 'http://127.0.0.1:1',
          userId: 'a',
          store: memoryStore(),
          schema: createValue(schema.get()),
          random: () => 0.5,
          token: async () => 'token',
          inBackground: () => undefined,
          fetch,
        }),
      () => undefined,
    )
  using rules = open(() => answered)
  const judged = rules.judge([{ table: 'notes', command: 'delete', before: note }])
  answer(Response.json(RULES))
  expect((await judged)[0]?.kind).toBe('refused')
  using offline = open(() => Promise.reject(new TypeError('offline')))
  expect(await offline.judge([{ table: 'notes', command: 'delete', before: note }])).toEqual([{ kind: 'unknown' }])
})

test('a judgement reads a long outbox once, and looks up rows by index', async () => {
  const world = await openWorld(ana)
  const { database, schema } = await world.opened('a')
  await database.writeTransaction(async (tx) => {
    for (let made = 0; made < 300; made++) await tx.execute('insert into notes (id) values (?)', [`${made}`])
  })
  const asked: (readonly [text: string, parameters: unknown[] | undefined])[] = []
  const watched = new Proxy(database, {
    get(target, name) {
      if (name === 'getAll')
        return (text: string, parameters?: unknown[]) => {
          asked.push([text, parameters])
          return target.getAll(text, parameters)
        }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  using rules = await LocalWriteRules.open(watched, {
    url: 'http://127.0.0.1:1',
    userId: 'a',
    store: memoryStore(),
    schema: createValue(schema.get()),
    random: () => 0.5,
    token: async () => 'token',
    inBackground: () => undefined,
    fetch: async () => Response.json(RULES),
  })
  await rules.refresh()
  await rules.judge([1, 2, 3].map((made) => ({ table: 'notes', command: 'delete', before: { id: `${made}` } })))
  const steps: string[] = []
  for (const [text, parameters] of asked) {
    const plan = await database.getAll<{ detail: string }>(`explain query plan ${text}`, parameters)
    steps.push(...plan.map(({ detail }) => detail))
  }
  // One for the tables of the outbox, one for the operations of the three rows.
  expect(steps.filter((step) => step.startsWith('SCAN ps_crud'))).toHaveLength(2)
  const others = steps.filter((step) => step.startsWith('SCAN') && !/ ps_crud| VIRTUAL TABLE| asked/.test(step))
  expect(others).toEqual([])
})
