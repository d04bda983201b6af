import { authMigrations } from '@holdfast/auth'
import { runAs, sql } from '@holdfast/postgres'
import { syncMigrations } from '@holdfast/sync'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'

const serverMigrations = { name: 'server', directory: new URL('../../migrations/', import.meta.url) }
const id = (n: number): string => `aaaaaaaa-0000-4000-8000-00000000000${n}`

/** An owner and an editor of one workspace, and the owner of another. */
export const [OLGA, EDDA, MOLE] = [id(1), id(2), id(3)] as const

export interface Part {
  readonly [name: string]: unknown
}
export interface Template extends Part {
  readonly tables: readonly Part[]
}
export interface Loaded {
  readonly id: string
  readonly tables: readonly string[]
  readonly records: number
}
export interface Exported {
  readonly template: Template
  readonly left_out: readonly Part[]
}

export const text = (name: string, more: Part = {}): Part => ({ name, label: name, kind: 'text', ...more })
export const table = (key: string, more: Part = {}): Part => ({
  key,
  label: key,
  access: { kind: 'members' },
  fields: [text('title')],
  ...more,
})
export const templateOf = (...tables: readonly Part[]): Template => ({ holdfast_template: 1, name: 'Rounds', tables })

/** When a round needs a day. */
export const RISKS = [
  { field: 'is_safe', is: 'one_of', values: ['false'] },
  { field: 'turns', is: 'more_than', values: ['6'] },
]

/** Dashboards over the tables `rounds` and `sites`. */
export const FIGURES: readonly Part[] = [
  {
    name: "Round's figures",
    filters: [{ id: 'due', kind: 'date', field: 'due_on' }],
    tiles: [
      {
        id: 'open',
        kind: 'number',
        table: 'rounds',
        title: "What's open",
        filter: 'all(state.notin.shut)',
        width: 1,
        height: 1,
      },
      { id: 'state', kind: 'bar', table: 'rounds', group: { field: 'state' }, width: 2, height: 2 },
      { id: 'map', kind: 'table', table: 'sites', fields: ['name'], sort: 'name', width: 2, height: 2 },
    ],
  },
]

/** Automations over the tables `rounds` and `sites`, by name. */
export const ROUTINES: readonly Part[] = [
  {
    name: "Ask about what's late",
    when: { kind: 'due', table: 'rounds', field: 'due_on', days: 1, at: '08:00' },
    if: [{ field: 'state', is: 'none_of', values: ['shut'] }],
    do: [
      { kind: 'notify', to: ['admins', 'creator'], text: "{title}: what's up?" },
      { kind: 'create', table: 'sites', set: { name: '{title}' } },
    ],
  },
  {
    name: 'Tell others',
    when: { kind: 'changed', table: 'rounds', field: 'state', to: ['shut'] },
    do: [
      { kind: 'webhook', url: 'https://example.com/', header: 'X-Key' },
      { kind: 'mail', to: ['admins'], subject: 'Shut: {title}', text: 'By {today}' },
      { kind: 'function', name: 'count' },
    ],
  },
]

/** A database with two workspaces, and the functions for templates as users call them. */
export class TemplateWorld implements AsyncDisposable {
  readonly database: TestDatabase
  readonly water: string
  readonly gas: string

  private constructor(database: TestDatabase, water: string, gas: string) {
    this.database = database
    this.water = water
    this.gas = gas
  }

  static async open(): Promise<TemplateWorld> {
    const database = await openTestDatabase({ migrations: [authMigrations, syncMigrations, serverMigrations] })
    const { pool } = database
    for (const user of [OLGA, EDDA, MOLE])
      await pool.execute(sql`insert into auth.users (id, email) values (${user}, ${`${user}@example.org`})`)
    const create = async (name: string, owner: string): Promise<string> => {
      const [made] = await pool.query<{ id: string }>(
        sql`select holdfast.create_workspace(${name}, ${`${owner}@example.org`}) as id`,
      )
      return made?.id ?? ''
    }
    const [water, gas] = [await create('Water', OLGA), await create('Gas', MOLE)]
    await pool.execute(
      sql`insert into holdfast.members (workspace_id, user_id, role, name) values (${water}, ${EDDA}, 'editor', 'Edda')`,
    )
    return new TemplateWorld(database, water, gas)
  }

  asked<Row extends object>(who: string, query: ReturnType<typeof sql>): Promise<readonly Row[]> {
    const session = { role: 'authenticated', claims: { role: 'authenticated', sub: who } }
    return runAs(this.database.requestPool, session, (tx) => tx.query<Row>(query))
  }

  async answer<Result>(who: string, query: ReturnType<typeof sql>): Promise<Result> {
    const [row] = await this.asked<{ result: Result }>(who, query)
    return row?.result as Result
  }

  load(template: unknown, who: string = OLGA, workspace = this.water, language = 'en'): Promise<Loaded> {
    const document = JSON.stringify(template)
    return this.answer(who, sql`select holdfast.load_template(${workspace}, ${document}::jsonb, ${language}) as result`)
  }

  exported(who: string = OLGA): Promise<Exported> {
    return this.answer(who, sql`select holdfast.export_template(${this.water}, true) as result`)
  }

  remove(loaded: Loaded, who: string = OLGA): Promise<{ removed: readonly string[]; kept: Part }> {
    return this.answer(who, sql`select holdfast.remove_template(${loaded.id}) as result`)
  }

  removeSamples(loaded: Loaded, who: string = OLGA): Promise<number> {
    return this.answer(who, sql`select holdfast.remove_sample_records(${loaded.id}) as result`)
  }

  rows(who: string, name: string | undefined): Promise<readonly Part[]> {
    return this.asked(who, sql`select * from ${sql.identifier('public', name ?? '')} order by created_at`)
  }

  /** Everything that a template could leave behind. */
  relations(): Promise<readonly Part[]> {
    return this.database.pool.query(sql`
      select relname::text as name from pg_class where relkind in ('r', 'v') and relnamespace = 'public'::regnamespace
      union all select 'view ' || name from holdfast.views union all select 'load ' || name from holdfast.template_loads
      union all select 'looks ' || table_name from holdfast.tables
      union all select 'field ' || field_name from holdfast.fields order by 1`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.database[Symbol.asyncDispose]()
  }
}
