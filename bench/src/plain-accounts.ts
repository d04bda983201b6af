/**
 * What Fastify, the bare driver and bcrypt do at best for the questions of accounts: two statements each, no token checked or signed, nothing
 * recorded. A process of its own, like the server it is compared with. Started with the database's address; prints its own.
 */
import { randomBytes } from 'node:crypto'
import { verify } from '@node-rs/bcrypt'
import fastify from 'fastify'
import pg from 'pg'

/** The size of the server's pool for accounts. */
const CONNECTIONS_MAX = 10

const USER = `
  select users.*, coalesce((select jsonb_agg(to_jsonb(identity)) from auth.identities as identity
                             where identity.user_id = users.id), '[]') as identities
    from auth.users as users`

const NEXT_TOKEN = `
  with used as (update auth.refresh_tokens set revoked = true, updated_at = now() where token = $1)
  insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
  values ('00000000-0000-0000-0000-000000000000', $2, $3, false, now(), now(), $1, $4)`

const NEW_SESSION = `
  with session as (
    insert into auth.sessions (id, user_id, aal, created_at, updated_at) values (gen_random_uuid(), $1, 'aal1', now(), now())
    returning id
  )
  insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
  select '00000000-0000-0000-0000-000000000000'::uuid, $2, $1, false, now(), now(), session.id from session`

interface UserRow {
  readonly id: string
  readonly encrypted_password: string
}

const pool = new pg.Pool({ connectionString: process.argv[2] ?? '', max: CONNECTIONS_MAX })
const app = fastify()
const newToken = (): string => randomBytes(9).toString('hex')

app.get<{ Querystring: { user: string; session: string } }>('/user', async (request) => {
  const [users] = await Promise.all([
    pool.query<UserRow>(`${USER} where users.id = $1`, [request.query.user]),
    pool.query('select id, user_id, aal, not_after from auth.sessions where id = $1', [request.query.session]),
  ])
  return users.rows[0]
})

app.post<{ Body: { refresh_token: string } }>('/refresh', async ({ body }) => {
  const { rows } = await pool.query<UserRow & { session_id: string }>(
    `select token.session_id, found.* from auth.refresh_tokens as token, lateral (${USER} where users.id = token.user_id::uuid) as found
      where token.token = $1`,
    [body.refresh_token],
  )
  const user = rows[0]
  const refreshToken = newToken()
  await pool.query(NEXT_TOKEN, [body.refresh_token, refreshToken, user?.id, user?.session_id])
  return { refresh_token: refreshToken, user }
})

app.post<{ Body: { email: string; password: string } }>('/sign-in', async ({ body }, reply) => {
  const { rows } = await pool.query<UserRow>(`${USER} where users.email = $1`, [body.email])
  const user = rows[0]
  if (!user || !(await verify(body.password, user.encrypted_password))) return reply.code(400).send()
  const refreshToken = newToken()
  await pool.query(NEW_SESSION, [user.id, refreshToken])
  return { refresh_token: refreshToken, user }
})

console.log(await app.listen({ host: '127.0.0.1', port: 0 }))
