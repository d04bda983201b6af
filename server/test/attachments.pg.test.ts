import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runAs, sql } from '@holdfast/postgres'
import { openPurge } from '../src/workspaces/purge-deleted.ts'
import { EDDA, MOLE, OLGA, openChangeWorld, type ChangeWorld } from './support/change-world.ts'

// Fields with files and signatures of tables that a workspace made. Who may see and change files is compared with the rules in access-rules.pg.test.ts.

let world: ChangeWorld
beforeAll(async () => {
  world = await openChangeWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const text = (name: string): object => ({ name, label: name, kind: 'text' })
const attachment = (name: string): object => ({ name, label: name, kind: 'attachment' })
const signature = (name: string): object => ({ name, label: name, kind: 'signature' })
const addField = (field: object): object => ({ kind: 'add_field', field })

/** Creates a table with a record by Edda. */
async function withRecord(table: string, fields: readonly object[] = [attachment('photos')]): Promise<string> {
  await world.create(table, [text('title'), ...fields])
  return record(table)
}

async function record(table: string): Promise<string> {
  const [row] = await world.asked<{ id: string }>(
    EDDA,
    sql`insert into ${sql.identifier('public', table)} (title) values ('one') returning id`,
  )
  return row?.id ?? ''
}

interface NewFile {
  readonly field?: string
  readonly name?: string
  readonly id?: string
  readonly path?: string
  readonly who?: string
}

/** Adds a file as the app does: the row, then its bytes. */
async function add(table: string, of: string, file: NewFile = {}): Promise<string> {
  const { field = 'photos', name = 'a.jpg', id = randomUUID(), who = EDDA } = file
  const path = file.path ?? `${who}/${table}_files/${id}.jpg`
  await world.asked(
    who,
    sql`insert into ${sql.identifier('public', `${table}_files`)} (id, record_id, field, name, path, media_type, size)
        values (${id}, ${of}, ${field}, ${name}, ${path}, 'image/jpeg', 10)`,
  )
  await world.asked(who, sql`insert into storage.objects (bucket_id, name) values ('record-files', ${path})`)
  return id
}

const remove = (table: string, id: string, who = EDDA): Promise<readonly object[]> =>
  world.asked(who, sql`delete from ${sql.identifier('public', `${table}_files`)} where id = ${id} returning 1`)
const objects = (who: string, table: string): Promise<readonly object[]> =>
  world.asked(
    who,
    sql`select name from storage.objects where bucket_id = 'record-files' and name like ${`%/${table}_files/%`}`,
  )
const namesIn = async (table: string, column = 'photos'): Promise<unknown> =>
  (await world.asked<Record<string, unknown>>(EDDA, sql`select * from ${sql.identifier('public', table)}`)).map(
    (row) => row[column],
  )

describe('the column of a field', () => {
  test('has the names of its files, whatever a client writes to it', async () => {
    const id = await withRecord('boats')
    const first = await add('boats', id, { name: 'bow.jpg', id: '00000000-0000-4000-8000-000000000001' })
    await add('boats', id, { name: 'stern.pdf', id: '00000000-0000-4000-8000-000000000002' })
    expect(await namesIn('boats')).toEqual(['bow.jpg, stern.pdf'])
    await world.asked(EDDA, sql`update public.boats set photos = 'none', title = 'two'`)
    expect(await namesIn('boats')).toEqual(['bow.jpg, stern.pdf'])
    await remove('boats', first)
    expect(await namesIn('boats')).toEqual(['stern.pdf'])
    await world.asked(EDDA, sql`insert into public.boats (title, photos) values ('zero', 'made up')`)
    expect(await namesIn('boats')).toEqual(expect.arrayContaining([null, 'stern.pdf']))
  })

  test('is required like any other: a new record comes with its files, and the last one stays', async () => {
    await world.create('permits', [text('title'), attachment('photos')])
    await world.change('permits', { kind: 'edit_field', field: 'photos', required: true })
    const id = randomUUID()
    const insert = (withFile: boolean): Promise<unknown> =>
      runAs(
        world.database.requestPool,
        { role: 'authenticated', claims: { role: 'authenticated', sub: EDDA } },
        async (tx) => {
          await tx.execute(sql`insert into public.permits (id, title, photos) values (${id}, 'p', 'a.jpg')`)
          if (!withFile) return
          await tx.execute(sql`
            insert into public.permits_files (id, record_id, field, name, path, media_type)
            values (${id}, ${id}, 'photos', 'b.jpg', ${`${EDDA}/permits_files/${id}.jpg`}, 'image/jpeg')`)
        },
      )
    await expect(insert(false)).rejects.toMatchObject({ code: '23502' })
    await insert(true)
    expect(await namesIn('permits')).toEqual(['b.jpg'])
    await expect(remove('permits', id)).rejects.toMatchObject({ code: '23502' })
  })
})

describe('a file', () => {
  test('has its own key and stays with its record', async () => {
    const id = await withRecord('cars')
    const other = randomUUID()
    await expect(add('cars', id, { path: `${EDDA}/cars_files/${other}.jpg` })).rejects.toThrow('path_is_own')
    await expect(add('cars', id, { path: `${OLGA}/cars_files/${other}.jpg`, id: other })).rejects.toThrow('path_is_own')
    const file = await add('cars', id)
    const moved = await record('cars')
    await world.asked(
      EDDA,
      sql`update public.cars_files set record_id = ${moved}, created_by = ${OLGA}, is_removed = true, caption = 'wheel' where id = ${file}`,
    )
    expect(
      await world.asked(EDDA, sql`select record_id, created_by, is_removed, caption from public.cars_files`),
    ).toEqual([{ record_id: id, created_by: EDDA, is_removed: false, caption: 'wheel' }])
    await expect(add('cars', id, { field: 'title' })).rejects.toMatchObject({ hint: 'attachment.no_field' })
  })

  test('is read by whoever sees its row, and goes with its record', async () => {
    const id = await withRecord('trees')
    await add('trees', id)
    expect(await objects(OLGA, 'trees')).toHaveLength(1)
    expect(await objects(MOLE, 'trees')).toEqual([])
    await expect(
      world.asked(
        OLGA,
        sql`insert into storage.objects (bucket_id, name) values ('record-files', ${`${EDDA}/trees_files/${randomUUID()}.jpg`})`,
      ),
    ).rejects.toMatchObject({ code: '42501' })
    await world.asked(EDDA, sql`delete from public.trees`)
    expect(await world.database.pool.query(sql`select name from storage.objects`)).not.toContainEqual({
      name: expect.stringContaining('trees_files') as string,
    })
  })

  test('follows its record when a value changes that the rules read', async () => {
    await world.create('notes', [
      text('title'),
      { name: 'state', label: 'State', kind: 'choice', choices: ['open', 'secret', 'shown'] },
      attachment('photos'),
    ])
    const open = [{ role: 'viewer', scope: 'all', when: [{ field: 'state', is: 'none_of', values: ['secret'] }] }]
    const changes = [{ role: 'editor', scope: 'all', when: open[0]?.when }]
    const rules = { see: open, add: [{ role: 'editor', scope: 'all' }], change: changes, delete: [] }
    await world.asked(
      OLGA,
      sql`select holdfast.set_access(${world.workspace}, 'notes', ${JSON.stringify({ ...rules, add: [] })}::jsonb)`,
    )
    await world.asked(OLGA, sql`insert into public.notes (title, state) values ('n', 'open')`)
    const [{ id } = { id: '' }] = await world.asked<{ id: string }>(OLGA, sql`select id from public.notes`)
    await add('notes', id)
    expect(await objects(EDDA, 'notes')).toHaveLength(1)
    await world.asked(OLGA, sql`update public.notes set state = 'secret'`)
    expect(await objects(EDDA, 'notes')).toEqual([])
    expect(await objects(OLGA, 'notes')).toHaveLength(1)
    // Options are renamed without triggers.
    await world.asked(OLGA, sql`update public.notes set state = 'open'`)
    await world.change('notes', {
      kind: 'edit_field',
      field: 'state',
      choices: ['secret', 'shown'],
      renamed: { open: 'secret' },
    })
    expect(await objects(EDDA, 'notes')).toEqual([])
  })

  test('is one of a hundred in a field, and the only one for a signature', async () => {
    const id = await withRecord('doors', [attachment('photos'), signature('signed')])
    const files = (count: number): Promise<unknown> =>
      world.asked(
        EDDA,
        sql`insert into public.doors_files (id, record_id, field, name, path, media_type)
            select i, ${id}, 'photos', 'x.jpg', ${EDDA}::text || '/doors_files/' || i, 'image/jpeg'
              from (select gen_random_uuid() as i from generate_series(1, ${count}::integer)) n`,
      )
    await files(100)
    await expect(files(1)).rejects.toMatchObject({ hint: 'attachment.many' })
    const first = await add('doors', id, { field: 'signed', name: 'Edda' })
    await expect(add('doors', id, { field: 'signed', name: 'Olga' })).rejects.toMatchObject({
      hint: 'attachment.signed',
    })
    const again = randomUUID()
    await runAs(
      world.database.requestPool,
      { role: 'authenticated', claims: { role: 'authenticated', sub: EDDA } },
      async (tx) => {
        await tx.execute(sql`
          insert into public.doors_files (id, record_id, field, name, path, media_type)
          values (${again}, ${id}, 'signed', 'Edda again', ${`${EDDA}/doors_files/${again}.png`}, 'image/png')`)
        await tx.execute(sql`delete from public.doors_files where id = ${first}`)
      },
    )
    expect(await namesIn('doors', 'signed')).toEqual(['Edda again'])
  })
})

describe('a field', () => {
  test('takes its files along when it is deleted, and back when it is restored', async () => {
    const id = await withRecord('roofs', [attachment('photos'), attachment('plans')])
    await add('roofs', id)
    await add('roofs', id, { field: 'plans', name: 'plan.pdf' })
    const state = async (): Promise<unknown> => [await world.rows('roofs'), await objects(EDDA, 'roofs')]
    const before = await state()
    await world.change('roofs', { kind: 'delete_field', field: 'photos' })
    expect(await objects(EDDA, 'roofs')).toHaveLength(1)
    await expect(add('roofs', id)).rejects.toMatchObject({ hint: 'attachment.no_field' })
    await world.change('roofs', { kind: 'restore_field', field: 'photos' })
    expect(await state()).toMatchObject([[{ photos: 'a.jpg', plans: 'plan.pdf' }], (before as unknown[])[1]])
    await add('roofs', id, { name: 'b.jpg' })
    await world.change('roofs', { kind: 'delete_field', field: 'photos' })
    await purge()
    expect(await objects(OLGA, 'roofs')).toHaveLength(1)
    expect(await world.database.pool.query(sql`select field from public.roofs_files`)).toEqual([{ field: 'plans' }])
  })

  test('stays a field for files', async () => {
    await withRecord('walls')
    const refused = { hint: 'attachment.format' }
    const plain = { kind: 'edit_field', field: 'photos', format: null }
    await expect(world.change('walls', plain)).rejects.toMatchObject(refused)
    await expect(
      world.change('walls', { kind: 'convert_field', field: 'photos', to: { kind: 'integer' }, rest: 'empty' }),
    ).rejects.toMatchObject({ hint: 'change_table.used' })
    await expect(world.asked(OLGA, sql`delete from holdfast.fields where table_name = 'walls'`)).rejects.toMatchObject(
      refused,
    )
  })

  test('needs rules that were set in the app', async () => {
    await world.create('drafts', [text('title')])
    await world.database.pool.execute(
      sql`create policy by_hand on public.drafts for select to authenticated using (true)`,
    )
    await expect(world.change('drafts', addField(attachment('photos')))).rejects.toMatchObject({
      hint: 'attachment.custom',
    })
  })
})

describe('a table', () => {
  test('takes its files along when it is deleted, and back when it is restored', async () => {
    const id = await withRecord('pumps')
    await add('pumps', id)
    await world.change('pumps', { kind: 'delete_table' })
    expect(await objects(OLGA, 'pumps')).toEqual([])
    await world.asked(OLGA, sql`select holdfast.restore_table(${world.workspace}, 'pumps')`)
    expect(await objects(EDDA, 'pumps')).toHaveLength(1)
    await add('pumps', id, { name: 'b.jpg' })
    expect(String(await namesIn('pumps'))).toContain('b.jpg')
    await world.change('pumps', { kind: 'delete_table' })
    await purge()
    expect(
      await world.database.pool.query(sql`
        select name from storage.objects where name like '%pumps%'
        union all select relname from pg_class where relname like 'pumps%'
        union all select table_name from holdfast_private.file_tables where table_name = 'pumps'`),
    ).toEqual([])
  })

  test('has a copy with the field and without the files', async () => {
    const id = await withRecord('keys')
    await add('keys', id)
    await world.change('keys', { kind: 'duplicate_table', label: 'Copy', records: true })
    expect(await namesIn('keys_2')).toEqual([null])
    expect(await world.rows('keys_2_files').catch(() => [])).toEqual([])
    await add('keys_2', id, { name: 'c.jpg' })
    expect(await namesIn('keys_2')).toEqual(['c.jpg'])
    expect(await namesIn('keys')).toEqual(['a.jpg'])
  })

  test('is a template with the field and without the files', async () => {
    const id = await withRecord('locks', [attachment('photos'), signature('signed')])
    await add('locks', id)
    const [row] = await world.asked<{ template: unknown }>(
      OLGA,
      sql`select holdfast.export_template(${world.workspace}) as template`,
    )
    const exported = JSON.stringify(row?.template)
    expect(exported).toContain('"kind": "attachment"'.replace(': ', ':'))
    expect(exported).toContain('"kind":"signature"')
    expect(exported).not.toContain('a.jpg')
  })
})

/** Purges what was deleted as if 31 days had passed. */
async function purge(): Promise<void> {
  await world.database.pool.execute(sql`select holdfast.purge_deleted(now() + interval '31 days')`)
  expect(openPurge).toBeDefined()
}
