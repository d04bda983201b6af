import { readCatalog, sql, type Pool, type Queryable, type Relationship, type Table } from '@holdfast/postgres'

/** A Postgres type, with the properties that type generation needs. */
export interface PgType {
  readonly oid: number
  readonly schema: string
  /** `pg_type.typname`. */
  readonly name: string
  /** From `format_type`. */
  readonly format: string
  /** Element type of an array, otherwise 0. */
  readonly elementOid: number
  readonly labels: readonly string[]
  /** Attributes of a standalone composite type. */
  readonly attributes: readonly { readonly name: string; readonly typeOid: number }[]
  /** The relation whose row type this is, otherwise 0. */
  readonly relationOid: number
}

export interface PgFunction {
  readonly schema: string
  readonly name: string
  /** In declaration order, which distinguishes overloads. */
  readonly arguments: readonly PgArgument[]
  /** From `pg_get_function_arguments`. */
  readonly signature: string
  readonly result: string
  readonly returnOid: number
  readonly returnsSet: boolean
  /** Planner estimate of the rows returned; 0 if not set-returning. */
  readonly rows: number
}

export interface PgArgument {
  readonly name: string
  readonly typeOid: number
  readonly mode: 'in' | 'out' | 'table'
  readonly hasDefault: boolean
}

export interface ViewAccess {
  readonly insertable: boolean
  readonly updatable: boolean
  /** Names of columns that can be written. */
  readonly writable: ReadonlySet<string>
}

/** Source of the generated types. */
export interface DatabaseTypes {
  /** Sorted by name. */
  readonly schemas: readonly string[]
  readonly tables: readonly Table[]
  /** By OID of the view. */
  readonly views: ReadonlyMap<number, ViewAccess>
  readonly relationships: readonly Relationship[]
  readonly functions: readonly PgFunction[]
  readonly types: ReadonlyMap<number, PgType>
}

/** @param schemas - schemas to describe; types of others are only named where columns use them */
export async function readDatabaseTypes(pool: Pool, schemas: readonly string[]): Promise<DatabaseTypes> {
  const catalog = await readCatalog(pool)
  const known = catalog.schemas.map(({ name }) => name).filter((name) => schemas.includes(name))
  return await pool.transaction(async (tx) => ({
    schemas: known,
    tables: catalog.tables.filter(({ schema }) => known.includes(schema)),
    views: await readViews(tx, known),
    relationships: catalog.relationships,
    functions: await readFunctions(tx, known),
    types: new Map((await readTypes(tx)).map((type) => [type.oid, type])),
  }))
}

async function readTypes(tx: Queryable): Promise<readonly PgType[]> {
  return await tx.query<PgType>(sql`
    select typ.oid::int8::float8 as oid, nsp.nspname as schema, typ.typname as name, pg_catalog.format_type(typ.oid, null) as format,
           case when typ.typcategory = 'A' then typ.typelem::int8::float8 else 0 end as "elementOid",
           typ.typrelid::int8::float8 as "relationOid",
           array(select enumlabel from pg_catalog.pg_enum where enumtypid = typ.oid order by enumsortorder)::text[] as labels,
           coalesce((select json_agg(json_build_object('name', att.attname, 'typeOid', att.atttypid::int8) order by att.attnum)
                       from pg_catalog.pg_attribute att
                      where att.attrelid = rel.oid and rel.relkind = 'c' and att.attnum > 0 and not att.attisdropped), '[]') as attributes
      from pg_catalog.pg_type typ
      join pg_catalog.pg_namespace nsp on nsp.oid = typ.typnamespace
      left join pg_catalog.pg_class rel on rel.oid = typ.typrelid`)
}

async function readViews(tx: Queryable, schemas: readonly string[]): Promise<ReadonlyMap<number, ViewAccess>> {
  const rows = await tx.query<{
    oid: number
    insertable: boolean
    updatable: boolean
    writable: readonly string[]
  }>(sql`
    select rel.oid::int8::float8 as oid,
           rel.relkind = 'v' and pg_catalog.pg_relation_is_updatable(rel.oid, true) & 8 = 8 as insertable,
           rel.relkind = 'v' and pg_catalog.pg_relation_is_updatable(rel.oid, true) & 4 = 4 as updatable,
           array(select att.attname::text from pg_catalog.pg_attribute att
                  where att.attrelid = rel.oid and att.attnum > 0
                    and (pg_catalog.pg_column_is_updatable(rel.oid, att.attnum, false) or (
                           -- Triggers and rules write whole rows.
                           select bool_or(true) from pg_catalog.pg_trigger tg
                            where tg.tgrelid = rel.oid and tg.tgtype & 64 <> 0 and tg.tgtype & 20 <> 0 and not tg.tgisinternal)
                         or exists (select from pg_catalog.pg_rewrite rw
                                     where rw.ev_class = rel.oid and rw.is_instead and rw.ev_type in ('2', '3') and rw.ev_qual::text = '<>'))
               ) as writable
      from pg_catalog.pg_class rel join pg_catalog.pg_namespace nsp on nsp.oid = rel.relnamespace
     where rel.relkind in ('v', 'm') and nsp.nspname = any(${[...schemas]}::text[])`)
  return new Map(rows.map(({ oid, writable, ...can }) => [oid, { ...can, writable: new Set(writable) }]))
}

type FunctionRow = Omit<PgFunction, 'arguments'> & {
  readonly inputs: number
  readonly defaults: number
  readonly all: readonly { readonly name: string; readonly typeOid: number; readonly mode: string }[]
}

async function readFunctions(tx: Queryable, schemas: readonly string[]): Promise<readonly PgFunction[]> {
  const rows = await tx.query<FunctionRow>(sql`
    select nsp.nspname as schema, pro.proname as name, pro.pronargs::int4 as inputs, pro.pronargdefaults::int4 as defaults,
           pg_catalog.pg_get_function_arguments(pro.oid) as signature, pg_catalog.pg_get_function_result(pro.oid) as result,
           pro.prorettype::int8::float8 as "returnOid", pro.proretset as "returnsSet", pro.prorows::float8 as rows,
           coalesce((select json_agg(json_build_object('name', coalesce(pro.proargnames[arg.position], ''), 'typeOid', arg.oid::int8,
                                                       'mode', coalesce(pro.proargmodes[arg.position], 'i')) order by arg.position)
                       from unnest(coalesce(pro.proallargtypes, pro.proargtypes::oid[])) with ordinality as arg (oid, position)), '[]') as "all"
      from pg_catalog.pg_proc pro join pg_catalog.pg_namespace nsp on nsp.oid = pro.pronamespace
     where pro.prokind = 'f' and nsp.nspname = any(${[...schemas]}::text[])
       and pro.prorettype not in ('pg_catalog.trigger'::regtype, 'pg_catalog.event_trigger'::regtype)`)
  return rows.map(({ inputs, defaults, all, ...row }) => {
    let input = 0
    const args = all.map(({ mode, ...argument }): PgArgument => {
      const isInput = mode !== 'o' && mode !== 't'
      const hasDefault = isInput && input++ >= inputs - defaults
      return { ...argument, mode: mode === 't' ? 'table' : isInput ? 'in' : 'out', hasDefault }
    })
    return { ...row, arguments: args }
  })
}
