import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { ColumnDescriptor, SchemaDescriptor } from '@holdfast/protocol'
import { insertPhotoSql, photoFilesSql, photoTableOf, photoTableOfFile } from './photo-table.ts'

const column = (name: string, references?: string): ColumnDescriptor => ({
  name,
  local: 'text',
  type: 'text',
  nullable: true,
  hasDefault: false,
  generated: false,
  ...(references !== undefined && { references: { table: references, column: 'id' } }),
})
const schemaWith = (columns: readonly ColumnDescriptor[]): SchemaDescriptor => ({
  version: '1',
  tables: [
    {
      name: 'pictures',
      schema: 'public',
      table: 'pictures',
      columns,
      can: { insert: true, update: true, delete: true },
      indexes: [],
    },
  ],
})
const FILES = [column('id'), column('path'), column('media_type'), column('uploaded_at')]

describe('a table of photos', () => {
  test('is known by its columns, and belongs to the records that it links to', () => {
    const table = photoTableOf(schemaWith([...FILES, column('finding_id', 'findings'), column('caption')]))
    expect(table).toMatchObject({ name: 'pictures', links: new Map([['findings', 'finding_id']]) })
    expect([...(table?.has ?? [])]).toEqual(['caption'])
  })

  test('is not one without the time of its upload: whether its files are there would not be known', () => {
    const schema = schemaWith(FILES.filter(({ name }) => name !== 'uploaded_at'))
    expect(photoTableOf(schema)).toBeUndefined()
    expect(photoFilesSql(schema)).toContain('where false')
  })

  test('has those of favourites on the device without being opened', () => {
    const photos = schemaWith([...FILES, column('finding_id', 'findings'), column('site', "o'clock")])
    const favourites = { ...schemaWith([column('id')]).tables[0], name: 'hf_favourites', columns: [] }
    const schema = { version: '1', tables: [...photos.tables, favourites] } as SchemaDescriptor
    using device = new DatabaseSync(':memory:')
    device.exec(`create table pictures (id, path, media_type, uploaded_at, finding_id, site);
      create table hf_favourites (kind, table_name, target_id);
      insert into pictures values ('p1', 'p1', 'image/jpeg', 'now', 'f1', null), ('p2', 'p2', 'image/jpeg', 'now', 'f2', 's1'),
        ('p3', 'p3', 'image/jpeg', null, null, null), ('p4', 'p4', 'image/jpeg', 'now', 's1', 'f1');
      insert into hf_favourites values ('record', 'findings', 'f1'), ('view', 'findings', 'f2'), ('record', 'o''clock', 's1'),
        ('record', 'pictures', 'p3')`)
    const isKept = (sql: string): unknown[] =>
      device
        .prepare(sql)
        .all()
        .map(({ id, is_eager }) => [id, is_eager])
    expect(isKept(photoFilesSql(schema))).toEqual([
      ['p1', 1],
      ['p2', 1],
      ['p3', 1],
      ['p4', 0],
    ])
    expect(isKept(photoFilesSql(photos))).toEqual([
      ['p1', 0],
      ['p2', 0],
      ['p3', 0],
      ['p4', 0],
    ])
  })

  test('takes the videos that a CHECK of its kinds lists, and none where that is not known', () => {
    const kinds = { ...column('media_type'), choices: ['image/jpeg', 'video/mp4', 'video/webm'] }
    const others = FILES.filter(({ name }) => name !== 'media_type')
    expect([...(photoTableOf(schemaWith([...others, kinds]))?.videoTypes ?? [])]).toEqual(['video/mp4', 'video/webm'])
    expect(photoTableOf(schemaWith(FILES))?.videoTypes.size).toBe(0)
  })

  test('with the files of fields belongs to one table, and is beside the photos of the project', () => {
    const ofFields = [...FILES, column('record_id', 'pumps'), column('name'), column('is_removed')]
    const [files] = schemaWith(ofFields).tables
    const [photos] = schemaWith([...FILES, column('finding_id', 'findings')]).tables
    const schema = {
      version: '1',
      tables: [{ ...files, name: 'a_files', table: 'a_files' }, photos],
    } as SchemaDescriptor
    expect(photoTableOf(schema)?.name).toBe('pictures')
    expect(photoTableOf(schema, 'findings')?.name).toBe('pictures')
    expect(photoTableOf(schema, 'pumps')?.name).toBe('a_files')
    expect(photoTableOfFile(schema, { bucket: 'record-files', path: 'u/a_files/1.jpg' })?.name).toBe('a_files')
    expect(photoTableOfFile(schema, { bucket: 'record-photos', path: 'u/1.jpg' })?.name).toBe('pictures')
    using device = new DatabaseSync(':memory:')
    device.exec(`create table pictures (id, path, media_type, uploaded_at); create table a_files (id, path, media_type, uploaded_at, name);
      insert into pictures values ('p', 'u/p', 'image/jpeg', null); insert into a_files values ('f', 'u/a_files/f', 'text/plain', 'now', 'notes.txt')`)
    expect(device.prepare(photoFilesSql(schema)).all()).toMatchObject([
      { id: 'f', bucket: 'record-files', name: 'notes.txt', is_uploaded: 1 },
      { id: 'p', bucket: null, name: null, is_uploaded: 0 },
    ])
  })

  test('gets only the values that it has columns for', () => {
    const table = photoTableOf(schemaWith([...FILES, column('finding_id', 'findings'), column('width')]))
    if (!table) return expect.unreachable('it is one')
    const photo = {
      id: 'p',
      link: 'finding_id',
      recordId: 'f',
      path: 'u/p.jpg',
      mediaType: 'image/jpeg',
      width: 4,
      size: 9,
    }
    expect(insertPhotoSql(table, photo)).toEqual([
      'insert into "pictures" ("id", "finding_id", "path", "media_type", "width") values (?, ?, ?, ?, ?)',
      ['p', 'f', 'u/p.jpg', 'image/jpeg', 4],
    ])
  })
})
