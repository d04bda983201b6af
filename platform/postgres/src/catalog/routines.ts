import type { Queryable } from '../connection/pool.ts'
import { sql } from '../sql/sql.ts'
import type { Parameter, Routine, RoutineResult } from './catalog.ts'
import { ownSchema } from './scope.ts'

interface RoutineRow {
  readonly oid: number
  readonly schema: string
  readonly name: string
  readonly kind: Routine['kind']
  readonly comment: string | null
  readonly variadic: boolean
  readonly volatility: Routine['volatility']
  readonly securityDefiner: boolean
  readonly strict: boolean
  readonly isSet: boolean
  readonly rows: number
  readonly defaults: number
  readonly settings: readonly string[] | null
  readonly execute: readonly string[] | null
  readonly returnOid: number
  readonly returnType: string
  readonly returnKind: string
  readonly returnTable: number | null
  readonly arguments:
    | readonly { readonly name: string; readonly typeOid: number; readonly type: string; readonly mode: string }[]
    | null
}

/** Reads the project's functions and procedures, without those of extensions, aggregates and window functions. */
export async function readRoutines(tx: Queryable, roles: readonly string[]): Promise<readonly Routine[]> {
  const rows = await tx.query<RoutineRow>(sql`
    select pro.oid::int8::float8 as oid, nsp.nspname as schema, pro.proname as name,
           case pro.prokind when 'p' then 'procedure' else 'function' end as kind,
           pg_catalog.obj_description(pro.oid, 'pg_proc') as comment,
           pro.provariadic <> 0 as variadic,
           case pro.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end as volatility,
           pro.prosecdef as "securityDefiner", pro.proisstrict as strict, pro.proretset as "isSet",
           pro.prorows::float8 as rows,
           pro.pronargdefaults::int4 as defaults, pro.proconfig as settings,
           (select array_agg(role.name) from unnest(${roles}::text[]) as role (name)
             where pg_catalog.has_function_privilege(role.name, pro.oid, 'execute')) as execute,
           ret.oid::int8::float8 as "returnOid", pg_catalog.format_type(ret.oid, null) as "returnType",
           ret_base.typtype as "returnKind",
           case when rel.relkind in ('r', 'p', 'v', 'm', 'f') then rel.oid::int8::float8 end as "returnTable",
           args.arguments
      from pg_catalog.pg_proc pro
      join pg_catalog.pg_namespace nsp on nsp.oid = pro.pronamespace
      join pg_catalog.pg_type ret on ret.oid = pro.prorettype
      join pg_catalog.pg_type ret_base on ret_base.oid = case when ret.typtype = 'd' then ret.typbasetype else ret.oid end
      left join pg_catalog.pg_class rel on rel.oid = ret_base.typrelid
      left join lateral (
        select json_agg(json_build_object('name', coalesce(pro.proargnames[arg.position], ''), 'typeOid', arg.oid::int8,
                                          'type', pg_catalog.format_type(arg.oid, null),
                                          'mode', coalesce(pro.proargmodes[arg.position], 'i')) order by arg.position) as arguments
          from unnest(coalesce(pro.proallargtypes, pro.proargtypes::oid[])) with ordinality as arg (oid, position)
      ) args on true
     where pro.prokind in ('f', 'p') and ${ownSchema('nsp')}
       and not exists (select from pg_catalog.pg_depend dep
                        where dep.classid = 'pg_catalog.pg_proc'::regclass and dep.objid = pro.oid and dep.deptype = 'e')
     order by nsp.nspname, pro.proname, pro.oid
  `)
  return rows.map(toRoutine)
}

function toRoutine(row: RoutineRow): Routine {
  const all = row.arguments ?? []
  const inputs = all.filter(({ mode }) => mode === 'i' || mode === 'b' || mode === 'v')
  const parameters = inputs.map(({ name, typeOid, type }, index): Parameter => ({
    name,
    typeOid,
    type,
    required: index < inputs.length - row.defaults,
  }))
  const columns = all
    .filter(({ mode }) => mode === 'o' || mode === 'b' || mode === 't')
    .map(({ name, typeOid, type }) => ({ name, typeOid, type }))
  return {
    oid: row.oid,
    schema: row.schema,
    name: row.name,
    kind: row.kind,
    comment: row.comment ?? undefined,
    parameters,
    variadic: row.variadic,
    returns: {
      typeOid: row.returnOid,
      type: row.returnType,
      isSet: row.isSet,
      rows: row.rows,
      kind: resultKind(row, columns.length),
      tableOid: row.returnTable ?? undefined,
      columns,
    },
    volatility: row.volatility,
    securityDefiner: row.securityDefiner,
    strict: row.strict,
    execute: row.execute ?? [],
    settings: parseSettings(row.settings),
  }
}

function resultKind(row: RoutineRow, columnCount: number): RoutineResult['kind'] {
  if (row.returnType === 'void') return 'void'
  if (row.returnType === 'trigger' || row.returnType === 'event_trigger') return 'trigger'
  if (row.returnKind === 'c') return 'composite'
  if (row.returnType === 'record') return columnCount > 0 ? 'composite' : 'record'
  return 'scalar'
}

/** Splits `{"search_path=public, extensions"}` into names and values. */
export function parseSettings(settings: readonly string[] | null): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (settings ?? []).map((setting) => {
      const equals = setting.indexOf('=')
      return [setting.slice(0, equals), setting.slice(equals + 1)]
    }),
  )
}
