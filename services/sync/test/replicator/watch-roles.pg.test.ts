import { randomBytes } from 'node:crypto'
import { sql } from '@holdfast/postgres'
import { openTestDatabase } from '@holdfast/test-support'
import { expect, test } from 'vitest'
import { readRolesVersion } from '../../src/replicator/read/watch-roles.ts'

/*
 * Pins that roles belong to the whole server, and only those that policies, grants or owners of this database name concern its policies.
 */

test('roles of other projects on the same server have no effect here, until something here names them', async () => {
  await using db = await openTestDatabase()
  const [role, member] = [0, 1].map(() => sql.identifier(`hf_test_${randomBytes(6).toString('hex')}`))
  if (!role || !member) throw new Error('there are two names')
  const seen = [await readRolesVersion(db.pool)]
  const isChanged = async (): Promise<boolean> => {
    const now = await readRolesVersion(db.pool)
    const isNew = now !== seen.at(-1)
    seen.push(now)
    return isNew
  }
  await db.pool.execute(sql`create table public.docs (id int primary key)`)
  try {
    await db.pool.execute(sql`create role ${role}`)
    await db.pool.execute(sql`create role ${member} in role ${role}`)
    await db.pool.execute(sql`alter role ${member} set statement_timeout = '1s'`)
    await db.pool.execute(sql`alter role ${role} bypassrls`)
    expect(await isChanged()).toBe(false)

    await db.pool.execute(sql`create policy own on public.docs to ${member} using (true)`)
    expect(await isChanged()).toBe(true)
    for (const change of [
      sql`alter role ${member} set statement_timeout = '2s'`,
      sql`alter role ${role} nobypassrls`, // of which the named role is a member
      sql`revoke ${role} from ${member}`,
    ]) {
      await db.pool.execute(change)
      expect([change.render().text, await isChanged()]).toEqual([change.render().text, true])
    }
    await db.pool.execute(sql`alter role ${role} bypassrls`)
    expect(await isChanged()).toBe(false)
    // What the request role can become counts before anything names it.
    await db.pool.execute(sql`grant ${role} to authenticator`)
    expect(await isChanged()).toBe(true)
  } finally {
    await db.pool.execute(sql`drop policy if exists own on public.docs`)
    await db.pool.execute(sql`drop role if exists ${member}, ${role}`)
  }
})
