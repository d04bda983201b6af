import { describe, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createHttpServer } from './create-server.ts'

const QUERY = {
  type: 'object',
  properties: { limit: { type: 'integer', default: 10 }, wide: { type: 'boolean' } },
}
const BODY = { type: 'object', required: ['name'], properties: { name: { type: 'string' }, of: { type: 'array' } } }

function open() {
  const app = createHttpServer({ logger: silentLogger })
  app.get('/list', { schema: { querystring: QUERY } }, async (request) => request.query)
  app.post('/things', { schema: { body: BODY } }, async (request) => request.body)
  return app
}

const post = (payload: object) => ({ method: 'POST', url: '/things', payload }) as const

describe('what a route declares', () => {
  test('is judged from the first request on, also by those that come together', async () => {
    const app = open()
    const answers = await Promise.all([post({}), post({ name: 'a' }), post({ of: [] })].map((one) => app.inject(one)))
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([400, 200, 400])
    expect((await app.inject(post({}))).json()).toEqual(answers[0]?.json())
    expect(answers[0]?.json()).toMatchObject({
      code: 'FST_ERR_VALIDATION',
      message: "body must have required property 'name'",
    })
  })

  test('converts and completes what comes, as Fastify does', async () => {
    const app = open()
    for (const _ of ['first', 'second']) {
      expect((await app.inject('/list?limit=3&wide=true')).json()).toEqual({ limit: 3, wide: true })
      expect((await app.inject('/list')).json()).toEqual({ limit: 10 })
      expect((await app.inject('/list?limit=x')).json()).toMatchObject({ message: 'querystring/limit must be integer' })
      expect((await app.inject(post({ name: 1, of: 'one' }))).json()).toEqual({ name: '1', of: ['one'] })
    }
  })

  test('is compiled when a request comes to it, and not before', async () => {
    const app = open()
    app.get('/wrong', { schema: { querystring: { type: 'no type' } } }, async () => 'never')
    await app.ready()
    expect((await app.inject('/wrong')).statusCode).toBe(500)
    expect((await app.inject('/list')).json()).toEqual({ limit: 10 })
  })

  test('is not what it answers', async () => {
    const app = open()
    app.get('/answers', { schema: { response: { 200: { type: 'string' } } } }, async () => 'text')
    await expect(app.ready()).rejects.toThrow('what it answers')
  })
})
