import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { type AuthApp, type AuthWorld, openAuthWorld, PASSWORD } from '../open-auth-world.ts'

let world: AuthWorld
let app: AuthApp

beforeAll(async () => {
  world = await openAuthWorld()
  app = await world.openApp()
})

beforeEach(() => {
  world.nowMs = Date.now()
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

describe('signing up', () => {
  test('runs the triggers of the project, and fails whole when one refuses', async () => {
    await world.db.pool.execute(
      sql`create table public.members (id uuid primary key references auth.users, email text)`,
    )
    await world.db.pool.execute(sql`
      create function public.admit() returns trigger language plpgsql security definer set search_path = '' as $$
      begin
        if new.email like '%@refused.org' then raise exception 'not you'; end if;
        insert into public.members (id, email) values (new.id, new.email);
        return new;
      end $$
    `)
    await world.db.pool.execute(
      sql`create trigger admit after insert on auth.users for each row execute function public.admit()`,
    )
    const { user } = await app.signUp('member@example.org')
    expect(await world.db.pool.query(sql`select id from public.members`)).toEqual([{ id: user.id }])

    const refused = await app.call({
      method: 'POST',
      url: '/signup',
      payload: { email: 'a@refused.org', password: PASSWORD },
    })
    expect(refused).toMatchObject({
      status: 500,
      body: { code: 'unexpected_failure', message: 'Database error saving new user' },
    })
    expect(JSON.stringify(refused.body)).not.toContain('not you')
    expect(await world.db.pool.query(sql`select id from auth.users where email = 'a@refused.org'`)).toEqual([])
    await world.db.pool.execute(sql`drop trigger admit on auth.users`)
  })

  test('gives an address one account, however many ask at once', async () => {
    const payload = { email: 'Race@Example.org', password: PASSWORD }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => app.call({ method: 'POST', url: '/signup', payload })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, body } of answers) {
      if (status !== 200) expect({ status, body }).toMatchObject({ status: 422, body: { code: 'user_already_exists' } })
    }
  })

  test('answers with a waiting user where addresses have to be confirmed, and without identities when the address has an account', async () => {
    const strict = await world.openApp({ emailEnableConfirmations: true })
    const payload = { email: 'waiting@example.org', password: PASSWORD, data: { name: 'W' } }
    const first = await strict.call({ method: 'POST', url: '/signup', payload })
    world.nowMs += 1_000
    const second = await strict.call({ method: 'POST', url: '/signup', payload })
    expect(first.status).toBe(200)
    expect(second.status).toBe(200)
    expect(Object.keys(second.body as object)).toEqual(Object.keys(first.body as object))
    expect(first.body).toMatchObject({ email: 'waiting@example.org', identities: [{ provider: 'email' }] })
    expect(JSON.stringify(first.body)).not.toContain('access_token')
    const [user] = await world.db.pool.query(sql`select id::text from auth.users where email = 'waiting@example.org'`)
    expect(first.body).toMatchObject({ id: (user as { id: string }).id })

    const signIn = () => strict.call({ method: 'POST', url: '/token?grant_type=password', payload })
    expect(await signIn()).toMatchObject({ status: 400, body: { code: 'email_not_confirmed' } })
    await world.db.pool.execute(
      sql`update auth.users set email_confirmed_at = now() where email = 'waiting@example.org'`,
    )
    expect(await signIn()).toMatchObject({ status: 200 })
    world.nowMs += 1_000
    const third = await strict.call({ method: 'POST', url: '/signup', payload })
    expect(third).toMatchObject({ status: 200, body: { email: 'waiting@example.org', identities: [] } })
    expect(Object.keys(third.body as object)).toEqual(Object.keys(first.body as object))
    expect((third.body as { id: string }).id).not.toBe((user as { id: string }).id)
  })

  test('can be switched off, and on for phones', async () => {
    const closed = await world.openApp({ enableSignup: false })
    const payload = { email: 'late@example.org', password: PASSWORD }
    expect(await closed.call({ method: 'POST', url: '/signup', payload })).toMatchObject({
      status: 422,
      body: { code: 'signup_disabled' },
    })

    const phones = await world.openApp({ smsEnableSignup: true })
    const phone = { phone: '+1 555 123 4567', password: PASSWORD }
    expect(await phones.call({ method: 'POST', url: '/signup', payload: phone })).toMatchObject({
      status: 200,
      body: { user: { phone: '15551234567', email: '', app_metadata: { provider: 'phone' } } },
    })
    expect(await phones.call({ method: 'POST', url: '/token?grant_type=password', payload: phone })).toMatchObject({
      status: 200,
    })
    expect(await phones.call({ url: '/settings' })).toMatchObject({
      body: { external: { phone: true }, phone_autoconfirm: true },
    })
  })
})
