import { authMigrations } from '@holdfast/auth'
import { runAs, sql, type Session, type SqlFragment } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

const serverMigrations = { name: 'server', directory: new URL('../migrations/', import.meta.url) }
const id = (n: number): string => `aaaaaaaa-0000-4000-8000-00000000000${n}`
export const [OLGA, ADAM, EDDA, GUS, NINA, MOLE] = [id(1), id(2), id(3), id(4), id(5), id(6)] as const
export const NAMES: Readonly<Record<string, string>> = {
  [OLGA]: 'olga',
  [ADAM]: 'adam',
  [EDDA]: 'edda',
  [GUS]: 'gus',
  [NINA]: 'nina',
  [MOLE]: 'mole',
}

const sessionOf = (sub: string): Session => ({ role: 'authenticated', claims: { role: 'authenticated', sub } })
export const anonymous: Session = { role: 'anon', claims: { role: 'anon' } }

/** A database with accounts, and a workspace of Olga (owner), Adam (admin), Edda (editor) and Gus (guest). */
export interface PeopleWorld extends AsyncDisposable {
  readonly database: TestDatabase
  /** Id of the workspace. */
  readonly workspace: string
  /** Id of its team North. */
  readonly team: string
  /** Creates the workspace again, without invitations. */
  reset(): Promise<void>
  /** Runs a query as a user or in a session. */
  asked<Row extends object = { readonly value: never }>(
    who: string | Session,
    query: SqlFragment,
  ): Promise<readonly Row[]>
  /** Returns what an invitation shows to a visitor without an account. */
  peek(secret: string): Promise<unknown>
  /** @returns the outcome */
  answer(who: string, secret: string, accepts?: boolean): Promise<string>
}

export async function openPeopleWorld(): Promise<PeopleWorld> {
  const database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
  for (const [user, name] of Object.entries(NAMES)) {
    await database.pool.execute(sql`
      insert into auth.users (id, email, email_confirmed_at, raw_user_meta_data)
      values (${user}, ${`${name}@example.org`}, now(), ${JSON.stringify({ name })}::jsonb)`)
  }
  let [workspace, team] = ['', '']
  const asked = <Row extends object = { readonly value: never }>(
    who: string | Session,
    query: SqlFragment,
  ): Promise<readonly Row[]> =>
    runAs(database.requestPool, typeof who === 'string' ? sessionOf(who) : who, (tx) => tx.query<Row>(query))
  return {
    database,
    get workspace() {
      return workspace
    },
    get team() {
      return team
    },
    async reset() {
      await database.pool.execute(
        sql`truncate holdfast.workspaces, holdfast.invitation_mails, holdfast.invitation_guesses cascade`,
      )
      const [made] = await database.pool.query<{ id: string }>(
        sql`select holdfast.create_workspace('Water', 'OLGA@example.org') as id`,
      )
      workspace = made?.id ?? ''
      for (const [user, role] of [
        [ADAM, 'admin'],
        [EDDA, 'editor'],
        [GUS, 'guest'],
      ] as const) {
        await database.pool.execute(sql`
          insert into holdfast.members (workspace_id, user_id, role, name)
          values (${workspace}, ${user}, ${role}::holdfast.workspace_role, ${NAMES[user]})`)
      }
      const [north] = await database.pool.query<{ id: string }>(
        sql`insert into holdfast.teams (workspace_id, name, area) values (${workspace}, 'North', 'N') returning id`,
      )
      team = north?.id ?? ''
    },
    asked,
    async peek(secret) {
      const [row] = await asked<{ value: object }>(anonymous, sql`select holdfast.peek_invitation(${secret}) as value`)
      return row?.value
    },
    async answer(who, secret, accepts = true) {
      const [row] = await asked<{ outcome: string }>(
        who,
        sql`select holdfast.answer_invitation(${secret}, ${accepts}) ->> 'outcome' as outcome`,
      )
      return row?.outcome ?? ''
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
