import { sql, type Pool } from '@holdfast/postgres'

/**
 * Compares enum labels with those that the log was filled with. Invalidates definitions of tables with a renamed label, including inside arrays, domains,
 * composites and ranges.
 *
 * @param isTypeAltered - types were altered since the last comparison: even with equal labels, one may have been renamed and renamed back, and rows may
 * contain the label in between
 */
export async function invalidateRenamedLabels(pool: Pool, isTypeAltered: boolean): Promise<void> {
  await pool.transaction(async (tx) => {
    const [look] = await tx.query<{ same: boolean }>(sql`
      select not exists (select from pg_catalog.pg_enum e left join sync.enum_labels l on l.value = e.oid where l.label is distinct from e.enumlabel) as same
    `)
    const all = isTypeAltered && look?.same === true
    const [renamed] = await tx.query<{ tables: string[] | null }>(sql`
      with recursive changed as (
        select e.enumtypid as oid from pg_catalog.pg_enum e join sync.enum_labels l on l.value = e.oid where ${all} or l.label <> e.enumlabel
      ), holders (oid) as (
        select oid from changed
        union
        select t.oid from holders h join pg_catalog.pg_type t
            on t.typelem = h.oid or t.typbasetype = h.oid
            or exists (select from pg_catalog.pg_range r where r.rngsubtype = h.oid and t.oid in (r.rngtypid, r.rngmultitypid))
            or (t.typtype = 'c' and exists (
                 select from pg_catalog.pg_attribute a where a.attrelid = t.typrelid and a.atttypid = h.oid and not a.attisdropped))
      )
      select array_agg(distinct a.attrelid::int8::text) as tables
        from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
       where a.atttypid in (select oid from holders) and a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p')
    `)
    if (renamed?.tables) {
      await tx.execute(sql`
        update sync.definitions set shape = 'void' where split_part(shape, ':', 1) = any(${renamed.tables}::text[])
      `)
    }
    await tx.execute(
      sql`delete from sync.enum_labels l where not exists (select from pg_catalog.pg_enum e where e.oid = l.value)`,
    )
    await tx.execute(sql`
      insert into sync.enum_labels (value, label) select oid, enumlabel from pg_catalog.pg_enum
      on conflict (value) do update set label = excluded.label where enum_labels.label <> excluded.label
    `)
  })
}
