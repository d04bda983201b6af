import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { ADAM, EDDA, MOLE, NINA, OLGA, openPeopleWorld, type PeopleWorld } from './people-world.ts'

// Who may create, use and end the links with which anybody can join. That they are served: tests/conformance/src/people.test.ts and daily-mail.test.ts.

let world: PeopleWorld
beforeAll(async () => {
  world = await openPeopleWorld()
})
beforeEach(() => world.reset())
afterAll(() => world[Symbol.asyncDispose]())

interface Made {
  readonly id: string
  readonly secret: string
}
const create = async (who: string, role = 'viewer', more: { days?: number; uses?: number } = {}): Promise<Made> => {
  const [row] = await world.asked<{ link: Made }>(
    who,
    sql`select holdfast.create_invite_link(${world.workspace}, ${role}::holdfast.workspace_role, ${world.team}, ${more.days ?? 7}, ${more.uses ?? 10}) as link`,
  )
  return row?.link ?? { id: '', secret: '' }
}
const revoke = (who: string, link: string): Promise<unknown> =>
  world.asked(who, sql`select holdfast.revoke_invite_link(${link})`)
const peekState = async (secret: string): Promise<unknown> => ((await world.peek(secret)) as { state: string }).state
const request = async (secret: string, email: string): Promise<unknown> =>
  (
    await world.database.pool.query<{ out: string }>(
      sql`select holdfast.request_invitation(${secret}, ${email}) as out`,
    )
  )[0]?.out

test('admins create them for roles below their own, and only admins see them', async () => {
  await expect(create(EDDA)).rejects.toMatchObject({ code: '42501' })
  for (const role of ['guest', 'admin', 'owner'])
    await expect(create(OLGA, role)).rejects.toMatchObject({ hint: 'invite_link.role' })
  await expect(create(ADAM, 'viewer', { days: 31 })).rejects.toMatchObject({ hint: 'invite_link.bounds' })
  await expect(create(ADAM, 'viewer', { uses: 0 })).rejects.toMatchObject({ hint: 'invite_link.bounds' })
  const { secret } = await create(ADAM, 'editor')
  expect(secret).toMatch(/^[\w-]{43}$/)
  expect(await world.asked(OLGA, sql`select role from holdfast.invite_links`)).toEqual([{ role: 'editor' }])
  expect(await world.asked(EDDA, sql`select role from holdfast.invite_links`)).toEqual([])
  await expect(world.asked(OLGA, sql`select hash from holdfast.invite_link_secrets`)).rejects.toMatchObject({
    code: '42501',
  })
  expect(await world.peek(secret)).toMatchObject({
    state: 'pending',
    workspace: 'Water',
    inviter: 'adam',
    is_link: true,
    team: 'North',
  })
  for (let n = 1; n < 20; n++) await create(ADAM)
  await expect(create(ADAM)).rejects.toMatchObject({ hint: 'invite_link.limit' })
})

test('confirmed accounts join, each counted once, until the link is used up', async () => {
  const { secret } = await create(ADAM, 'editor', { uses: 1 })
  expect(await world.answer(NINA, secret)).toBe('accepted')
  expect(await world.answer(NINA, secret)).toBe('accepted')
  expect(await peekState(secret)).toBe('used_up')
  expect(await world.answer(MOLE, secret)).toBe('used')
  const members = await world.asked(OLGA, sql`select role from holdfast.members where user_id = ${NINA}`)
  expect(members).toEqual([{ role: 'editor' }])
  expect(await world.asked(OLGA, sql`select from holdfast.team_members where user_id = ${NINA}`)).toHaveLength(1)
})

test('members keep a higher role, and a deactivated member stays out', async () => {
  const { secret } = await create(ADAM, 'viewer')
  expect(await world.answer(EDDA, secret)).toBe('accepted')
  expect(await world.asked(OLGA, sql`select role from holdfast.members where user_id = ${EDDA}`)).toEqual([
    { role: 'editor' },
  ])
  await world.database.pool.execute(sql`update holdfast.members set status = 'deactivated' where user_id = ${EDDA}`)
  expect(await world.answer(EDDA, secret)).toBe('revoked')
  expect(await peekState(secret)).toBe('pending')
})

test('end with the right to invite of the admin who created them, or when revoked', async () => {
  const [first, second] = [await create(ADAM), await create(ADAM)]
  await expect(revoke(EDDA, first.id)).rejects.toMatchObject({ code: '42501' })
  await revoke(OLGA, first.id)
  expect([await peekState(first.secret), await peekState(second.secret)]).toEqual(['revoked', 'pending'])
  await world.database.pool.execute(sql`update holdfast.members set role = 'editor' where user_id = ${ADAM}`)
  expect(await peekState(second.secret)).toBe('revoked')
  expect(await world.answer(MOLE, second.secret)).toBe('revoked')
})

test('have addresses invited by mail, within the limits of mails', async () => {
  const { secret } = await create(ADAM, 'editor', { uses: 2 })
  expect(await request(secret, 'nonsense')).toBe('not_an_address')
  expect(await request('x'.repeat(43), 'a@example.org')).toBe('not_found')
  for (let n = 0; n < 5; n++) expect(await request(secret, 'A@example.org')).toBe('invited')
  expect(await request(secret, 'a@example.org')).toBe('too_many')
  expect(await request(secret, 'b@example.org')).toBe('invited')
  expect(await request(secret, 'c@example.org')).toBe('used_up')
  expect(await world.asked(OLGA, sql`select email, role from holdfast.invitations order by email`)).toEqual([
    { email: 'a@example.org', role: 'editor' },
    { email: 'b@example.org', role: 'editor' },
  ])
})
