import { authMigrations } from '@holdfast/auth'
import { silentLogger } from '@holdfast/foundation'
import { runAs, sql, type Session, type SqlFragment, type Transaction } from '@holdfast/postgres'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { seedSample } from '../src/seed.ts'

const serverMigrations = { name: 'server', directory: new URL('../../server/migrations/', import.meta.url) }

export interface Verdict {
  readonly code: string
  readonly message: string
  readonly hint: string | undefined
  /** Rows that the last statement touched; 0 when it was refused. */
  readonly rows: number
}

/** The sample in a database of a test. */
export interface SampleWorld extends AsyncDisposable {
  readonly database: TestDatabase
  /** @param name - of the person, or `service` for the service role */
  asPerson<Result>(name: string, work: (tx: Transaction) => Promise<Result>): Promise<Result>
  /** Runs statements as a person in one transaction and takes them back. */
  attempt(name: string, ...statements: readonly SqlFragment[]): Promise<Verdict>
}

/** Stops a transaction whose outcome is known. */
const UNDO = new Error('undo')

export async function openSampleWorld(): Promise<SampleWorld> {
  const database = await openTestDatabase({ migrations: [authMigrations, serverMigrations] })
  await seedSample({
    pool: database.pool,
    logger: silentLogger,
    clock: { now: () => Date.UTC(2031, 4, 17, 12) },
    hashPassword: async () => 'no hash',
  })
  const asPerson: SampleWorld['asPerson'] = async (name, work) => {
    const [user] = await database.pool.query<{ id: string }>(
      sql`select id from auth.users where raw_user_meta_data ->> 'name' = ${name}`,
    )
    const session: Session =
      name === 'service'
        ? { role: 'service_role', claims: { role: 'service_role' } }
        : { role: 'authenticated', claims: { role: 'authenticated', sub: user?.id } }
    return runAs(database.requestPool, session, work)
  }
  return {
    database,
    asPerson,
    async attempt(name, ...statements) {
      let rows = 0
      try {
        await asPerson(name, async (tx) => {
          for (const statement of statements) rows = await tx.execute(statement)
          throw UNDO
        })
      } catch (error) {
        if (error === UNDO) return { code: '00000', message: '', hint: undefined, rows }
        const { code, message, hint } = error as Verdict
        return { code, message, hint, rows: 0 }
      }
      throw new Error('a transaction that throws rejects')
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
