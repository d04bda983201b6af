import { expect, test } from 'vitest'
import { Semaphore, silentLogger } from '@holdfast/foundation'
import { createHttpServer } from './create-server.ts'
import { decodeInTurn, decodeLargeBodiesInTurn } from './decode-in-turn.ts'

test('large bodies are decoded one at a time, user by user, and those of clients that have gone are dropped', async () => {
  const semaphore = new Semaphore({ permits: 1 })
  const order: string[] = []
  const gone = new Set(['ada 3'])
  const all = ['ada 1', 'ada 2', 'ada 3', 'ada 4', 'bob 1', 'eve 1'].map(
    (name) =>
      new Promise<void>((resolve) => {
        const end = (what: string) => (): void => {
          order.push(what)
          resolve()
        }
        void decodeInTurn(semaphore, name.slice(0, 3), {
          isAbandoned: () => gone.has(name),
          decode: end(name),
          drop: end(`not ${name}`),
        })
      }),
  )
  await Promise.all(all)
  expect(order).toEqual(['ada 1', 'ada 2', 'bob 1', 'eve 1', 'not ada 3', 'ada 4'])
})

test('a small body does not wait for large ones, and all are decoded as ever', async () => {
  await using app = createHttpServer({ logger: silentLogger })
  const order: string[] = []
  await app.register(async (scope) => {
    decodeLargeBodiesInTurn(scope, () => 'ada')
    scope.post('/', async (request) => {
      order.push((request.body as { name: string }).name)
      return request.body
    })
  })
  const post = (payload: string) =>
    app.inject({ method: 'POST', url: '/', headers: { 'content-type': 'application/json' }, payload })
  const large = (name: string): string => JSON.stringify({ name, text: 'x'.repeat(200_000) })

  const [first, , small] = await Promise.all([post(large('1')), post(large('2')), post('{"name":"small"}')])
  expect(order).toEqual(['small', '1', '2'])
  expect([first.statusCode, first.json()]).toEqual([200, JSON.parse(large('1'))])
  expect(small.statusCode).toBe(200)
  const answers = await Promise.all(['', '{', `{"__proto__": "${'x'.repeat(200_000)}"}`].map(post))
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([400, 400, 400])
})
