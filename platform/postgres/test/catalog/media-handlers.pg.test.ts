import { openTestDatabase } from '@holdfast/test-support'
import { expect, test } from 'vitest'
import { readCatalog } from '../../src/catalog/read-catalog.ts'

test('the catalog knows what makes media types, and nothing that only looks like it', async () => {
  await using db = await openTestDatabase()
  await db.pool.withClient((client) =>
    client.query(`
      create domain "Image/PNG" as bytea;
      create domain "no media type" as text;
      create table dots (id int);
      create function dot(id int) returns "Image/PNG" language sql immutable as $$ select ''::bytea::"Image/PNG" $$;
      create function dots_of() returns setof "Image/PNG" language sql immutable as $$ select ''::bytea::"Image/PNG" $$;
      create function plain() returns "no media type" language sql immutable as $$ select ''::"no media type" $$;
      create function step(state "Image/PNG", next dots) returns "Image/PNG" language sql immutable as $$ select state $$;
      create aggregate all_dots (dots) (stype = "Image/PNG", sfunc = step);
      create function step(state "Image/PNG", next anyelement) returns "Image/PNG" language sql immutable as $$ select state $$;
      create aggregate all_things (anyelement) (stype = "Image/PNG", sfunc = step);
      create domain shade as int default 7;
      create table paints (a shade, b shade default 8, c int);
    `),
  )
  const catalog = await readCatalog(db.pool)
  const png = { mediaType: 'image/png', binary: true, schema: 'public' }
  expect(catalog.mediaHandlers).toEqual([
    { ...png, name: 'all_things', target: { kind: 'any', schema: '', name: '' } },
    { ...png, name: 'all_dots', target: { kind: 'relation', schema: 'public', name: 'dots' } },
    { ...png, name: 'Image/PNG', target: { kind: 'routine', schema: 'public', name: 'dot' } },
    // An aggregate's transition function is an ordinary function.
    { ...png, name: 'Image/PNG', target: { kind: 'routine', schema: 'public', name: 'step' } },
    { ...png, name: 'Image/PNG', target: { kind: 'routine', schema: 'public', name: 'step' } },
  ])
  expect(catalog.geoJsonFunction).toBeUndefined()
  expect(catalog.table('public', 'paints')?.columns.map((column) => column.default)).toEqual(['7', '8', undefined])
})
