import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPool, sql } from '@holdfast/postgres'
import type { TestDatabase } from '@holdfast/test-support'
import { ADAM, anonymous, EDDA, GUS, MOLE, NINA, OLGA, openPeopleWorld, type PeopleWorld } from './people-world.ts'

// Who may see and change the people of a workspace. That the mails are sent and lead there: tests/conformance/src/people.test.ts.

let world: PeopleWorld
let database: TestDatabase
let workspace = ''
let team = ''
beforeAll(async () => {
  world = await openPeopleWorld()
  database = world.database
})
beforeEach(async () => {
  await world.reset()
  ;({ workspace, team } = world)
})
afterAll(() => world[Symbol.asyncDispose]())

const asked: PeopleWorld['asked'] = (who, query) => world.asked(who, query)
const peek: PeopleWorld['peek'] = (secret) => world.peek(secret)
const answer: PeopleWorld['answer'] = (who, secret, accepts) => world.answer(who, secret, accepts)

interface Outcome {
  readonly email: string
  readonly outcome: string
}
const invite = (
  who: string,
  emails: readonly string[],
  role = 'editor',
  more: { team?: string; until?: string } = {},
): Promise<readonly Outcome[]> =>
  asked<Outcome>(
    who,
    sql`select * from holdfast.invite(${workspace}, ${emails}::text[], ${role}::holdfast.workspace_role, ${more.team ?? null}, null, ${more.until ?? null})`,
  )
/** Gives the invitation of an address a secret, as the server does before it writes the mail. */
async function secretOf(email: string, secret = `${email}-`.padEnd(43, 'x')): Promise<string> {
  await database.pool.execute(sql`
    insert into holdfast.invitation_secrets (invitation_id, hash)
    select i.id, ${createHash('sha256').update(secret).digest()} from holdfast.invitations i
     where i.email = ${email} order by i.created_at desc limit 1
    on conflict (invitation_id) do update set hash = excluded.hash`)
  return secret
}
const invitationOf = async (email: string): Promise<string> => {
  const [row] = await database.pool.query<{ id: string }>(
    sql`select id from holdfast.invitations where email = ${email} order by created_at desc limit 1`,
  )
  return row?.id ?? ''
}
const memberOf = async (user: string): Promise<string> => {
  const [row] = await database.pool.query<{ id: string }>(
    sql`select id from holdfast.members where workspace_id = ${workspace} and user_id = ${user}`,
  )
  return row?.id ?? ''
}
const roleOf = async (user: string): Promise<string | undefined> => {
  const [row] = await database.pool.query<{ role: string }>(
    sql`select role from holdfast.members where workspace_id = ${workspace} and user_id = ${user} and status = 'active'`,
  )
  return row?.role
}
const setRole = async (who: string, whose: string, role: string): Promise<unknown> =>
  asked(who, sql`select holdfast.set_member_role(${await memberOf(whose)}, ${role}::holdfast.workspace_role)`)

describe('reading', () => {
  test('members see each other, a guest sees only themself, a stranger and an anonymous visitor nobody', async () => {
    const seen = async (who: string): Promise<readonly string[]> =>
      (await asked<{ name: string }>(who, sql`select name from holdfast.members order by name`)).map(({ name }) => name)
    expect(await seen(EDDA)).toEqual(['adam', 'edda', 'gus', 'olga'])
    expect(await seen(GUS)).toEqual(['gus'])
    expect(await seen(MOLE)).toEqual([])
    await expect(asked(anonymous, sql`select from holdfast.members`)).rejects.toThrow('permission denied')
  })

  test('admins see invitations and addresses, other members neither, and nobody the secrets', async () => {
    await invite(ADAM, ['nina@example.org'])
    await secretOf('nina@example.org')
    const emails = sql`select email from holdfast.invitations`
    expect(await asked(OLGA, emails)).toEqual([{ email: 'nina@example.org' }])
    expect(await asked(EDDA, emails)).toEqual([])
    expect(
      await asked(ADAM, sql`select email from holdfast.member_details(${workspace}) order by email limit 1`),
    ).toEqual([{ email: 'adam@example.org' }])
    await expect(asked(EDDA, sql`select from holdfast.member_details(${workspace})`)).rejects.toThrow(
      'owners and admins',
    )
    for (const table of ['invitation_secrets', 'invitation_mails', 'invitation_guesses']) {
      await expect(asked(OLGA, sql`select from holdfast.${sql.identifier(table)}`)).rejects.toThrow('permission denied')
    }
  })

  test('the access of a guest ends at its moment', async () => {
    const counted = async (): Promise<number> => (await asked(GUS, sql`select from holdfast.workspaces`)).length
    expect(await counted()).toBe(1)
    await database.pool.execute(
      sql`update holdfast.members set expires_at = now() - interval '1 second' where user_id = ${GUS}`,
    )
    expect(await counted()).toBe(0)
  })
})

describe('roles', () => {
  test('nobody writes members or invitations past the functions', async () => {
    for (const statement of [
      sql`update holdfast.members set role = 'owner' where user_id = ${ADAM}`,
      sql`insert into holdfast.members (workspace_id, user_id, role, name) values (${workspace}, ${MOLE}, 'owner', 'mole')`,
      sql`delete from holdfast.members where user_id = ${OLGA}`,
      sql`update holdfast.invitations set role = 'owner'`,
      sql`select holdfast.create_workspace('Mine', 'adam@example.org')`,
      sql`select holdfast.queue_invitation_mail(${workspace}, 'x@example.org')`,
      sql`select holdfast.find_invitation('x')`,
    ]) {
      await expect(asked(ADAM, statement)).rejects.toThrow('permission denied')
    }
  })

  test('nobody raises themself, gives a role above their own, or changes somebody above them', async () => {
    await expect(setRole(EDDA, EDDA, 'admin')).rejects.toThrow('owners and admins')
    await expect(setRole(ADAM, ADAM, 'owner')).rejects.toThrow('above their own')
    await expect(setRole(ADAM, EDDA, 'owner')).rejects.toThrow('above their own')
    await expect(setRole(ADAM, OLGA, 'viewer')).rejects.toThrow('higher role')
    await expect(setRole(MOLE, EDDA, 'viewer')).rejects.toThrow('owners and admins')
    await expect(asked(ADAM, sql`select holdfast.remove_member(${await memberOf(OLGA)})`)).rejects.toThrow(
      'higher role',
    )
    await expect(asked(ADAM, sql`select holdfast.set_member_active(${await memberOf(OLGA)}, false)`)).rejects.toThrow(
      'higher role',
    )
    await setRole(ADAM, EDDA, 'commenter')
    expect(await roleOf(EDDA)).toBe('commenter')
  })

  test('the last owner stays, also when two leave at the same time; an account that is deleted goes', async () => {
    for (const attempt of [
      () => setRole(OLGA, OLGA, 'admin'),
      async () => asked(OLGA, sql`select holdfast.remove_member(${await memberOf(OLGA)})`),
      async () => asked(OLGA, sql`select holdfast.set_member_active(${await memberOf(OLGA)}, false)`),
      () => database.pool.execute(sql`delete from holdfast.members where user_id = ${OLGA}`),
    ]) {
      await expect(attempt()).rejects.toThrow('at least one owner')
    }
    await setRole(OLGA, ADAM, 'owner')
    const leave = async (who: string): Promise<unknown> =>
      asked(who, sql`select holdfast.remove_member(${await memberOf(who)})`)
    const left = await Promise.allSettled([leave(OLGA), leave(ADAM)])
    expect(left.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await database.pool
      .transaction(async (tx) => {
        await tx.execute(sql`delete from auth.users where id in (${OLGA}, ${ADAM})`)
        expect(await tx.query(sql`select from holdfast.members where role = 'owner'`)).toEqual([])
        throw new Error('undone')
      })
      .catch((error: unknown) => expect(error).toHaveProperty('message', 'undone'))
  })

  test('whoever is deactivated is out of their teams, and back in them later; whoever is removed is not', async () => {
    const teams = async (): Promise<unknown> => asked(EDDA, sql`select area from holdfast.my_areas() area`)
    await asked(
      ADAM,
      sql`insert into holdfast.team_members (team_id, user_id, function) values (${team}, ${EDDA}, 'lead')`,
    )
    expect(await teams()).toEqual([{ area: 'N' }])
    const edda = await memberOf(EDDA)
    await asked(ADAM, sql`select holdfast.set_member_active(${edda}, false)`)
    expect(await teams()).toEqual([])
    expect(await asked(EDDA, sql`select name from holdfast.members`)).toEqual([{ name: 'edda' }])
    await asked(ADAM, sql`select holdfast.set_member_active(${edda}, true)`)
    expect(await asked(EDDA, sql`select function from holdfast.team_members where user_id = ${EDDA}`)).toEqual([
      { function: 'lead' },
    ])
    await asked(EDDA, sql`select holdfast.remove_member(${edda})`)
    expect(await teams()).toEqual([])
    expect(await asked(EDDA, sql`select from holdfast.members`)).toEqual([])
  })

  test('invitations of whoever leaves or is lowered are taken back', async () => {
    await invite(ADAM, ['nina@example.org'], 'admin')
    await setRole(OLGA, ADAM, 'editor')
    expect(await answer(NINA, await secretOf('nina@example.org'))).toBe('revoked')
  })
})

describe('inviting', () => {
  test('only admins invite, never above their own role, and with a team of the workspace', async () => {
    await expect(invite(EDDA, ['nina@example.org'])).rejects.toThrow('owners and admins')
    await expect(invite(MOLE, ['nina@example.org'])).rejects.toThrow('owners and admins')
    await expect(invite(ADAM, ['nina@example.org'], 'owner')).rejects.toThrow('above their own')
    await expect(invite(ADAM, ['nina@example.org'], 'editor', { team: MOLE })).rejects.toThrow('no such team')
    await expect(invite(ADAM, ['nina@example.org'], 'guest', { team })).rejects.toThrow('invitations_team_of_member')
    await expect(invite(ADAM, [])).rejects.toThrow('between 1 and 50')
    await expect(
      invite(
        ADAM,
        Array.from({ length: 51 }, (_, n) => `p${n}@example.org`),
      ),
    ).rejects.toThrow('between 1 and 50')
  })

  test('each address has an outcome of its own', async () => {
    await invite(OLGA, ['zoe@example.org'])
    expect(
      await invite(OLGA, [
        ' Nina@Example.org',
        'nina@example.org',
        'EDDA@example.org',
        'zoe@example.org',
        'x@y@z',
        'a\nb@c',
      ]),
    ).toEqual([
      { email: 'a\nb@c', outcome: 'not_an_address' },
      { email: 'edda@example.org', outcome: 'member' },
      { email: 'nina@example.org', outcome: 'invited' },
      { email: 'x@y@z', outcome: 'not_an_address' },
      { email: 'zoe@example.org', outcome: 'pending' },
    ])
  })

  test('an address gets five mails a day at most, from whomever and for whatever; a person sends fifty an hour', async () => {
    for (let n = 0; n < 6; n++) {
      const [one] = await invite(n % 2 ? ADAM : OLGA, ['nina@example.org'])
      expect(one?.outcome).toBe(n < 5 ? 'invited' : 'too_many')
      if (n < 5) await asked(OLGA, sql`select holdfast.revoke_invitation(${await invitationOf('nina@example.org')})`)
    }
    const many = await invite(
      ADAM,
      Array.from({ length: 50 }, (_, n) => `p${n}@example.org`),
    )
    // Two of the fifty went to Nina.
    expect(many.filter(({ outcome }) => outcome === 'invited')).toHaveLength(48)
    expect(many.filter(({ outcome }) => outcome === 'too_many')).toHaveLength(2)
  })

  test('an invitation is sent again five times at most, with a new secret each time, and only while it is pending', async () => {
    await invite(OLGA, ['nina@example.org'], 'owner')
    const invitation = await invitationOf('nina@example.org')
    const resend = (who: string): Promise<unknown> => asked(who, sql`select holdfast.resend_invitation(${invitation})`)
    await expect(resend(EDDA)).rejects.toThrow('no such invitation')
    await expect(resend(ADAM)).rejects.toThrow('no such invitation')
    const secret = await secretOf('nina@example.org')
    await resend(OLGA)
    expect(await answer(NINA, secret)).toBe('not_found')
    for (let n = 0; n < 3; n++) await resend(OLGA)
    await expect(resend(OLGA)).rejects.toThrow('sent 5 times')
    await expect(asked(MOLE, sql`select holdfast.revoke_invitation(${invitation})`)).rejects.toThrow('no such pending')
    await asked(ADAM, sql`select holdfast.revoke_invitation(${invitation})`)
    await expect(resend(OLGA)).rejects.toThrow('no longer pending')
  })
})

describe('answering', () => {
  test('the invited person joins, once, with role and team, whoever has the link', async () => {
    await invite(ADAM, ['nina@example.org'], 'editor', { team })
    const secret = await secretOf('nina@example.org')
    expect(await answer(MOLE, secret)).toBe('wrong_account')
    await expect(answer('cccccccc-0000-4000-8000-000000000000', secret)).rejects.toThrow('Sign in')
    await expect(asked(anonymous, sql`select holdfast.answer_invitation(${secret}, true)`)).rejects.toThrow(
      'permission denied',
    )
    expect(await answer(NINA, secret)).toBe('accepted')
    expect(await answer(NINA, secret)).toBe('accepted')
    expect(await roleOf(NINA)).toBe('editor')
    expect(await asked(NINA, sql`select area from holdfast.my_areas() area`)).toEqual([{ area: 'N' }])
    expect(
      await database.pool.query(sql`select name, invited_by from holdfast.members where user_id = ${NINA}`),
    ).toEqual([{ name: 'nina', invited_by: ADAM }])
    // A link that was used is no way back in.
    await asked(ADAM, sql`select holdfast.remove_member(${await memberOf(NINA)})`)
    expect(await answer(NINA, secret)).toBe('used')
    expect(await roleOf(NINA)).toBeUndefined()
  })

  test('an address that was never confirmed, and one that is a guest of this device only, accept nothing', async () => {
    await invite(ADAM, ['nina@example.org'])
    const secret = await secretOf('nina@example.org')
    await database.pool.execute(sql`update auth.users set email_confirmed_at = null where id = ${NINA}`)
    expect(await answer(NINA, secret)).toBe('unconfirmed')
    await database.pool.execute(
      sql`update auth.users set email_confirmed_at = now(), is_anonymous = true where id = ${NINA}`,
    )
    expect(await answer(NINA, secret)).toBe('wrong_account')
    await database.pool.execute(sql`update auth.users set is_anonymous = false where id = ${NINA}`)
    expect(await roleOf(NINA)).toBeUndefined()
  })

  test('what is over says how: declined, revoked, expired', async () => {
    const ended = async (how: (invitation: string) => Promise<unknown>): Promise<string> => {
      await database.pool.execute(sql`truncate holdfast.invitation_mails`)
      await invite(ADAM, ['nina@example.org'])
      const secret = await secretOf('nina@example.org')
      await how(await invitationOf('nina@example.org'))
      const [peek] = await asked<{ state: string; role: string | null }>(
        anonymous,
        sql`select p ->> 'state' as state, p ->> 'role' as role from holdfast.peek_invitation(${secret}) p`,
      )
      expect(peek?.role ?? null).toBeNull()
      expect(await answer(NINA, secret)).toBe(peek?.state)
      await database.pool.execute(sql`delete from holdfast.invitations`)
      return peek?.state ?? ''
    }
    expect(await ended(async () => answer(NINA, await secretOf('nina@example.org'), false))).toBe('declined')
    expect(await ended((one) => asked(OLGA, sql`select holdfast.revoke_invitation(${one})`))).toBe('revoked')
    const lapse = (one: string): Promise<unknown> =>
      database.pool.execute(sql`update holdfast.invitations set expires_at = now() where id = ${one}`)
    expect(await ended(lapse)).toBe('expired')
    expect(await roleOf(NINA)).toBeUndefined()
  })

  test('a link says what it is for, and a guess says nothing; after twenty guesses an account waits', async () => {
    await invite(ADAM, ['nina@example.org', 'new@example.org'], 'viewer')
    const secret = await secretOf('nina@example.org')
    expect(await peek(secret)).toMatchObject({
      state: 'pending',
      workspace: 'Water',
      inviter: 'adam',
      role: 'viewer',
      email: 'nina@example.org',
      has_account: true,
    })
    expect(await peek(await secretOf('new@example.org'))).toMatchObject({ has_account: false })
    expect(await peek('guess')).toEqual({ state: 'not_found' })
    for (let n = 0; n < 20; n++) expect(await answer(MOLE, `${n}`.padEnd(43, 'y'))).toBe('not_found')
    expect(await answer(MOLE, secret)).toBe('too_many')
    expect(await answer(NINA, secret)).toBe('accepted')
  })
})

describe('teams and shares', () => {
  test('admins manage teams of their workspace, with its members and its areas only', async () => {
    const add = (who: string, area: string | null): Promise<unknown> =>
      asked(
        who,
        sql`insert into holdfast.teams (workspace_id, name, area) values (${workspace}, 'South', ${area}) returning id`,
      )
    await expect(add(EDDA, null)).rejects.toThrow('row-level security')
    await expect(add(ADAM, 'S')).rejects.toThrow('No team of this workspace has the area S')
    await add(ADAM, 'N')
    const join = (who: string, whom: string): Promise<unknown> =>
      asked(who, sql`insert into holdfast.team_members (team_id, user_id) values (${team}, ${whom})`)
    await expect(join(EDDA, EDDA)).rejects.toThrow('row-level security')
    await expect(join(ADAM, MOLE)).rejects.toThrow('no guests')
    await expect(join(ADAM, GUS)).rejects.toThrow('no guests')
    await join(ADAM, EDDA)
  })

  test('records are shared by admins, with guests, as long as they have access', async () => {
    await using project = createPool({ url: database.projectUrl, applicationName: 'test project', connectionsMax: 1 })
    await project.execute(
      sql.trusted(`
      create table public.sites (id uuid primary key); alter table public.sites enable row level security;
      grant select on public.sites to authenticated; insert into public.sites values ('${OLGA}');
      create policy members_read on public.sites for select to authenticated using ((select holdfast.has_role('viewer')))`),
    )
    const share = (who: string, whom: string): Promise<unknown> =>
      asked(
        who,
        sql`insert into holdfast.shares (workspace_id, user_id, table_name, record_id) values (${workspace}, ${whom}, 'sites', ${OLGA})`,
      )
    const shared = (who: string, table = 'sites'): Promise<unknown> =>
      asked(who, sql`select id from holdfast.shared_record_ids(${table}) id`)
    await expect(share(EDDA, GUS)).rejects.toMatchObject({ code: '42501' })
    await expect(share(GUS, GUS)).rejects.toMatchObject({ code: '42501' })
    await expect(share(ADAM, EDDA)).rejects.toThrow('shared with guests')
    await share(ADAM, GUS)
    expect(await shared(GUS)).toEqual([{ id: OLGA }])
    expect(await shared(GUS, 'assets')).toEqual([])
    expect(await asked(GUS, sql`select id from holdfast.changeable_record_ids('sites') id`)).toEqual([])
    await database.pool.execute(sql`update holdfast.members set expires_at = now() where user_id = ${GUS}`)
    expect(await shared(GUS)).toEqual([])
  })
})
