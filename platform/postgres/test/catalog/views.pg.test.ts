import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { readCatalog } from '../../src/catalog/read-catalog.ts'
import { viewKey } from '../../src/catalog/relationships.ts'

let db: TestDatabase
let catalog: Catalog

beforeAll(async () => {
  db = await openTestDatabase()
  await db.pool.withClient((client) =>
    client.query(`
      create table authors (id int primary key, name text);
      create table books (id int primary key, title text, author_id int references authors, "odd {)} :resorigtbl 7" int);
      create table tags (id int primary key, label text unique);
      create table book_tags (book_id int references books, tag_id int references tags, primary key (book_id, tag_id));
      create table rooms (house int, number int, primary key (house, number));
      create table beds (id int primary key, house int, number int, foreign key (house, number) references rooms);
      create view author_list as select name, id as author from authors;
      create view book_list as select b.id, b.title, b.author_id as writer, b."odd {)} :resorigtbl 7" as odd,
        upper(b.title) as loud, (select max(x.id) from books x) as last from books b;
      create view book_list_again as with few as (select * from book_list) select odd, writer, id as book from few where id > 0;
      create materialized view stored_books as select id, author_id from (select * from books) as inner_books;
      create view both_books as select id, author_id from books union all select id, author_id from books;
      create view book_twice as select b.author_id as one, b.author_id as two, b.id from books b;
      create view tagged as select book_id, tag_id as label_id from book_tags;
      create view room_list as select house as h, number as n from rooms;
      create view half_rooms as select house from rooms;
      create view bed_list as select id, number, house from beds;
      create table people (id int primary key, card int unique);
      create unique index on people (card);
      create table cards (id int primary key references people);
      create table badges (id int primary key, person int references people);
      create unique index on badges (person);
      create table halves (a int, b int, person int references people, primary key (a, person));
      create domain color as int check (value >= 0);
      create function color_to_json(color) returns json language sql immutable as $$ select to_json('#' || to_hex($1::int)) $$;
      create function color_from_text(text) returns color language sql immutable as $$ select 1::color $$;
      create cast (color as json) with function color_to_json(color) as implicit;
      create cast (text as color) with function color_from_text(text) as implicit;
      create cast (color as text) with inout as assignment;
    `),
  )
  catalog = await readCatalog(db.pool)
})

afterAll(() => db?.[Symbol.asyncDispose]())

function sources(name: string): readonly string[] {
  const table = catalog.table('public', name)
  return (table?.sources ?? []).map(
    (source) => `${source.column}=${catalog.tableByOid(source.tableOid)?.name}.${source.tableColumn}`,
  )
}

function ways(from: string, to: string): readonly string[] {
  return catalog.relationships
    .filter((relationship) => relationship.fromTable === from && relationship.toTable === to)
    .map((relationship) => {
      const through = relationship.kind === 'many-to-many' ? ` ${relationship.junctionTable}` : ''
      return `${relationship.kind}${through} ${relationship.fromColumns.join()}>${relationship.toColumns.join()}`
    })
    .toSorted()
}

test('traces the columns of views to columns of tables, whatever their names and through other views', () => {
  expect(sources('author_list')).toEqual(['name=authors.name', 'author=authors.id'])
  expect(sources('book_list')).toEqual([
    'id=books.id',
    'title=books.title',
    'writer=books.author_id',
    'odd=books.odd {)} :resorigtbl 7',
  ])
  expect(sources('book_list_again')).toEqual([
    'odd=books.odd {)} :resorigtbl 7',
    'writer=books.author_id',
    'book=books.id',
  ])
  expect(sources('stored_books')).toEqual(['id=books.id', 'author_id=books.author_id'])
  expect(sources('both_books')).toEqual([])
  expect(sources('books')).toEqual([])
})

test('relates views to tables and to each other as the tables beneath are related', () => {
  expect(ways('book_list', 'authors')).toEqual(['many-to-one writer>id'])
  expect(ways('authors', 'book_list')).toEqual(['one-to-many id>writer'])
  expect(ways('book_list_again', 'author_list')).toEqual(['many-to-one writer>author'])
  expect(ways('author_list', 'stored_books')).toEqual(['one-to-many author>author_id'])
  expect(ways('both_books', 'authors')).toEqual([])
  expect(ways('book_twice', 'authors')).toEqual(['many-to-one one>id', 'many-to-one two>id'])
})

test('asks for all columns of a key', () => {
  expect(ways('bed_list', 'room_list')).toEqual(['many-to-one house,number>h,n'])
  expect(ways('beds', 'half_rooms')).toEqual([])
})

test('takes tables and views whose key has both foreign keys for junctions', () => {
  expect(ways('books', 'tags')).toEqual(['many-to-many book_tags id>id', 'many-to-many tagged id>id'])
  expect(ways('book_list', 'tags')).toEqual(['many-to-many book_tags id>id', 'many-to-many tagged id>id'])
})

test('takes a key for one-to-one when exactly its columns are a primary key or a unique constraint', () => {
  expect(ways('cards', 'people')).toEqual(['one-to-one id>id'])
  expect(ways('people', 'cards')).toEqual(['one-to-one id>id'])
  expect(ways('badges', 'people')).toEqual(['many-to-one person>id'])
  expect(ways('halves', 'people')).toEqual(['many-to-one person>id'])
})

test('knows the key of a view by the keys of its tables', () => {
  const key = (name: string) => {
    const view = catalog.table('public', name)
    return view && viewKey(view, catalog.tableByOid)
  }
  expect(key('book_list_again')).toEqual(['book'])
  expect(key('tagged')).toEqual(['book_id', 'label_id'])
  expect(key('half_rooms')).toEqual([])
})

test('knows the functions that read and write domains, and no other casts', () => {
  const columnType = catalog.table('public', 'books')?.rowTypeOid
  expect(columnType).toBeGreaterThan(0)
  expect(
    catalog.representations
      .map(({ direction, format, functionName }) => `${direction} ${format} ${functionName}`)
      .toSorted(),
  ).toEqual(['from domain json color_to_json', 'to domain text color_from_text'])
})
