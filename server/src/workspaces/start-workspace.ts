import { HoldfastError } from '@holdfast/foundation'
import { sql, type Pool } from '@holdfast/postgres'

/** Maximum workspaces per user on servers where every user may create one. */
export const OWNED_WORKSPACES_MAX = 3

export interface NewWorkspace {
  readonly name: string
  /** The owner's account id. */
  readonly owner: string
  /** Whether this is the first workspace, created with the owner key. Otherwise the user may own a few. */
  readonly isFirst: boolean
  /** Of the owner's device; one that Postgres does not know counts as UTC. */
  readonly timeZone: string | undefined
}

/** Whether the server has a workspace. */
export async function hasWorkspaces(pool: Pool): Promise<boolean> {
  const [found] = await pool.query<{ has: boolean }>(sql`select exists (select from holdfast.workspaces) as has`)
  return found?.has === true
}

/**
 * Creates a workspace with its first owner.
 *
 * @returns its id
 * @throws {HoldfastError} `already_set_up`, 410; `too_many_workspaces`, 409; `account_not_suitable`, 403: an anonymous or unconfirmed account
 */
export async function startWorkspace(pool: Pool, { name, owner, isFirst, timeZone }: NewWorkspace): Promise<string> {
  return await pool.transaction(async (tx) => {
    // Serializes requests, so that two cannot both be first or exceed the limit together.
    await tx.execute(sql`lock table holdfast.workspaces in share row exclusive mode`)
    const [found] = await tx.query<{ any: boolean; owned: number; isSuitable: boolean }>(sql`
      select exists (select from holdfast.workspaces) as any,
             (select count(*)::int from holdfast.members m where m.user_id = ${owner} and m.role = 'owner') as owned,
             exists (select from auth.users u where u.id = ${owner} and not u.is_anonymous
                        and coalesce(u.email_confirmed_at, u.phone_confirmed_at) is not null) as "isSuitable"`)
    if (isFirst && found?.any === true) throw alreadySetUp()
    if (found?.isSuitable !== true)
      throw new HoldfastError('account_not_suitable', 403, 'Confirm your address first, then start a workspace.')
    if (!isFirst && found.owned >= OWNED_WORKSPACES_MAX)
      throw new HoldfastError('too_many_workspaces', 409, `You own ${found.owned} workspaces, which is the limit.`)
    const [made] = await tx.query<{ id: string }>(sql`
      with zone as (select z.name from pg_catalog.pg_timezone_names z
                     where z.name = ${timeZone ?? ''} and z.name !~ '^(posix|right)/' and z.name not in ('localtime', 'posixrules', 'Factory')),
           made as (insert into holdfast.workspaces (name, time_zone) values (${name}, coalesce((select zone.name from zone), 'UTC')) returning id),
           owner as (insert into holdfast.members (workspace_id, user_id, role, name)
                     select made.id, u.id, 'owner', holdfast.name_of_account(u.raw_user_meta_data, u.email)
                       from made, auth.users u where u.id = ${owner})
      select id from made`)
    return made?.id ?? ''
  })
}

export function alreadySetUp(): HoldfastError {
  return new HoldfastError('already_set_up', 410, 'This server has a workspace. Ask its owner for an invitation.')
}
