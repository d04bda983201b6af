/**
 * The two that the REST API is compared with, in a process of their own, like the server. Started with the database's address; prints its own.
 *
 * As a server: a Fastify handler for each case that runs the statement in a transaction with the role and the claims, as one would write it. No
 * token is checked.
 *
 * As a load (`POST /bare?case=…&connections=…&seconds=…`): the same transaction by the driver alone, without HTTP, as often as it can; with
 * `/bare-count?…&requests=…` so many times.
 */
import fastify from 'fastify'
import pg from 'pg'
import { OWNER, restCase, type RestCaseName } from './rest-cases.ts'
import { summarize, type Load } from './http-load.ts'

/** The size of the server's pool for requests. */
const CONNECTIONS_MAX = 20

const CLAIMS = JSON.stringify({ role: 'authenticated', sub: OWNER })

const ASSUME = {
  name: 'assume',
  text: `select set_config('request.jwt.claims', $1, true), set_config('role', $2, true)`,
  values: [CLAIMS, 'authenticated'],
}

const pool = new pg.Pool({ connectionString: process.argv[2] ?? '', max: CONNECTIONS_MAX })
const app = fastify({ bodyLimit: 8 * 1024 * 1024 })

async function run(name: string, text: string, values: readonly unknown[]): Promise<string | undefined> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(ASSUME)
    const { rows } = await client.query<{ body?: string }>({ name, text, values: [...values] })
    await client.query('commit')
    return rows[0]?.body
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

const SINGLE = restCase('single row by key', 0)
const EMBEDS = restCase('100 rows with two embeds', 0)
const INSERT = restCase('insert of one', 0)
const BULK = restCase('bulk insert of 1,000', 0)

app.get<{ Querystring: { number: string } }>('/single', async ({ query }, reply) =>
  reply.type('application/json; charset=utf-8').send(await run(SINGLE.name, SINGLE.text, [query.number])),
)

app.get<{ Querystring: { project: string } }>('/embeds', async ({ query }, reply) =>
  reply.type('application/json; charset=utf-8').send(await run(EMBEDS.name, EMBEDS.text, [query.project])),
)

interface Note {
  readonly title: string
  readonly body: string
  readonly count: number
  readonly owner: string
}

app.post<{ Body: Note }>('/insert', async ({ body }, reply) => {
  await run(INSERT.name, INSERT.text, [body.title, body.body, body.count, body.owner])
  return reply.code(201).send()
})

app.post<{ Body: readonly Note[] }>('/bulk', async ({ body }, reply) => {
  await run(BULK.name, BULK.text, [JSON.stringify(body)])
  return reply.code(201).send()
})

app.post<{ Querystring: { case: RestCaseName; connections: string; requests: string } }>(
  '/bare-count',
  async ({ query }, reply) => {
    let left = Number(query.requests)
    await Promise.all(
      Array.from({ length: Number(query.connections) }, async () => {
        while (left-- > 0) {
          const { name, text, values } = restCase(query.case, Math.random())
          await run(name, text, values)
        }
      }),
    )
    return reply.code(204).send()
  },
)

app.post<{ Querystring: { case: RestCaseName; connections: string; seconds: string } }>(
  '/bare',
  async ({ query }): Promise<Load> => {
    const seconds = Number(query.seconds)
    const warm = performance.now() + 500
    const end = warm + seconds * 1_000
    const latencies: number[] = []
    await Promise.all(
      Array.from({ length: Number(query.connections) }, async () => {
        while (performance.now() < end) {
          const { name, text, values } = restCase(query.case, Math.random())
          const began = performance.now()
          await run(name, text, values)
          const now = performance.now()
          if (now >= warm && now < end) latencies.push(now - began)
        }
      }),
    )
    return summarize(latencies, seconds)
  },
)

console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
