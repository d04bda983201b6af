import { TABLE_PRIVILEGES, type TableChange } from '@holdfast/protocol'
import { Type } from 'typebox'
import type { Pool } from '@holdfast/postgres'
import { CHANGE_CHARS_MAX, NAME_PG_CHARS_MAX } from '../limits.ts'
import { route, type Route } from '../routing/route.ts'
import { applyChange, isTried, prepareChange, type ProjectChanges } from '../tables/apply-change.ts'
import type { OpenTableSession } from '../tables/table-session.ts'
import { requireProjectRole } from './require-project-role.ts'
import type { OpenSqlSession } from './sql.ts'

export interface TableChangeRoutesNeeds {
  readonly pool: Pool
  readonly changes: ProjectChanges
  /** Tries policies as the project. */
  readonly openSession: OpenTableSession
  /** Says whether SQL as the project needs an owner. */
  readonly openSqlSession: OpenSqlSession
}

const Name = Type.String({ minLength: 1, maxLength: NAME_PG_CHARS_MAX })
const Names = Type.Array(Name, { minItems: 1, maxItems: 32 })
const Expression = Type.String({ maxLength: CHANGE_CHARS_MAX })
const Column = Type.Object({
  name: Name,
  type: Type.String({ minLength: 1, maxLength: 200 }),
  isNullable: Type.Boolean(),
  default: Type.Optional(Expression),
})
const table = { schema: Name, table: Name }
const kind = <Kind extends string>(name: Kind) => Type.Literal(name)

const policyTerms = {
  name: Name,
  roles: Type.Array(Name, { maxItems: 32 }),
  using: Type.Optional(Expression),
  check: Type.Optional(Expression),
}

const Change = Type.Union([
  Type.Object({
    kind: kind('create_table'),
    ...table,
    columns: Type.Array(Column, { minItems: 1, maxItems: 200 }),
    key: Type.Array(Name, { maxItems: 32 }),
    rls: Type.Boolean(),
    grants: Type.Union([kind('none'), kind('authenticated'), kind('anon')]),
  }),
  Type.Object({ kind: kind('rename_table'), ...table, to: Name }),
  Type.Object({ kind: kind('drop_table'), ...table, confirmation: Expression }),
  Type.Object({ kind: kind('set_rls'), ...table, rls: Type.Boolean() }),
  Type.Object({
    kind: kind('set_grants'),
    ...table,
    role: Name,
    privileges: Type.Array(Type.Union(TABLE_PRIVILEGES.map((one) => Type.Literal(one))), { maxItems: 4 }),
  }),
  Type.Object({ kind: kind('add_column'), ...table, column: Column }),
  Type.Object({ kind: kind('rename_column'), ...table, column: Name, to: Name }),
  Type.Object({
    kind: kind('set_type'),
    ...table,
    column: Name,
    type: Type.String({ minLength: 1, maxLength: 200 }),
    using: Type.Optional(Expression),
  }),
  Type.Object({ kind: kind('set_default'), ...table, column: Name, default: Expression }),
  Type.Object({ kind: kind('set_nullable'), ...table, column: Name, isNullable: Type.Boolean() }),
  Type.Object({ kind: kind('drop_column'), ...table, column: Name, confirmation: Expression }),
  Type.Object({ kind: kind('add_key'), ...table, isPrimary: Type.Boolean(), columns: Names }),
  Type.Object({
    kind: kind('add_check'),
    ...table,
    condition: Type.String({ minLength: 1, maxLength: CHANGE_CHARS_MAX }),
  }),
  Type.Object({
    kind: kind('add_foreign_key'),
    ...table,
    columns: Names,
    target: Type.Object({ ...table, columns: Names }),
    onDelete: Type.Union([kind('no action'), kind('restrict'), kind('cascade'), kind('set null'), kind('set default')]),
  }),
  Type.Object({ kind: kind('drop_constraint'), ...table, name: Name, confirmation: Expression }),
  Type.Object({ kind: kind('create_index'), ...table, columns: Names, isUnique: Type.Boolean() }),
  Type.Object({ kind: kind('drop_index'), ...table, name: Name, confirmation: Expression }),
  Type.Object({
    kind: kind('create_policy'),
    ...table,
    ...policyTerms,
    command: Type.Union([kind('all'), kind('select'), kind('insert'), kind('update'), kind('delete')]),
    isPermissive: Type.Boolean(),
  }),
  Type.Object({ kind: kind('alter_policy'), ...table, ...policyTerms, to: Name }),
  Type.Object({ kind: kind('drop_policy'), ...table, name: Name, confirmation: Expression }),
  Type.Object({ kind: kind('create_enum'), schema: Name, name: Name, labels: Names }),
  Type.Object({ kind: kind('add_label'), schema: Name, name: Name, label: Name }),
])

/** Changes of tables: planned first, then applied as they were shown. Defaults and conditions are SQL that runs as the project. */
export function tableChangeRoutes({
  pool,
  changes,
  openSession,
  openSqlSession,
}: TableChangeRoutesNeeds): readonly Route[] {
  return [
    route('POST /tables/changes/plan', {
      access: 'developer',
      action: 'plan_table_change',
      body: Type.Object({ change: Change }),
      run: async ({ body, note, session }) => {
        note({ target: targetOf(body.change) })
        if (isTried(body.change)) await requireProjectRole(openSqlSession, session)
        return await prepareChange({ pool, changes, openSession }, body.change)
      },
    }),
    route('POST /tables/changes', {
      access: 'developer',
      action: 'change_table',
      body: Type.Object({
        change: Change,
        sql: Type.String({ maxLength: CHANGE_CHARS_MAX * 10 }),
        writesFile: Type.Boolean(),
      }),
      run: async ({ body, note, session }) => {
        note({ target: targetOf(body.change), after: { sql: body.sql } })
        await requireProjectRole(openSqlSession, session)
        const applied = await applyChange({ pool, changes, openSession }, body)
        note({ after: { sql: body.sql, ...applied } })
        return applied
      },
    }),
  ]
}

function targetOf(change: TableChange): string {
  return 'table' in change ? `table ${change.schema}.${change.table}` : `type ${change.schema}.${change.name}`
}
