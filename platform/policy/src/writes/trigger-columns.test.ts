import { beforeAll, expect, test } from 'vitest'
import { preparePolicyParser } from '../syntax/parse.ts'
import { findTriggerColumns } from './trigger-columns.ts'

beforeAll(preparePolicyParser)

function columnsOf(body: string): readonly [readonly string[] | '*', readonly string[]] {
  const { set, filled } = findTriggerColumns(
    `create function f() returns trigger language plpgsql as $fn$ declare n int; begin ${body} end $fn$`,
  )
  return [set === '*' ? '*' : [...set], [...filled]]
}

test.each([
  ['new.a := 1; return new;', ['a'], []],
  ['NEW.A = 1; RETURN NEW;', ['a'], []],
  ['new."A b" := 1; return new;', ['A b'], []],
  ['select 1 into new.a; return new;', ['a'], []],
  ['select 1, 2 into n, new.b; return new;', ['b'], []],
  ['select count(*) into n from t where t.a = new.a; return new;', [], []],
  ['new.a := coalesce(new.a, 3); return new;', [], ['a']],
  ['new.a := coalesce(new.a, 3) + 1; return new;', ['a'], []],
  ['new.a := coalesce(new.b, 3); return new;', ['a'], []],
  ['new.a := coalesce(new.a, 3); if n > 1 then new.a := 4; end if; return new;', ['a'], []],
  ['if new.a = old.a then raise exception $$no$$; end if; return new;', [], []],
  ['raise exception $$no$$;', [], []],
  ['return null;', [], []],
  ['n := 3; return new;', [], []],
])('%s sets %j and fills %j', (body, set, filled) => {
  expect(columnsOf(body)).toEqual([set, filled])
})

test.each([
  'new := old; return new;',
  'return old;',
  'select * into new from t; return new;',
  'return jsonb_populate_record(new, $$ {} $$);',
  'get diagnostics n = row_count; return new;',
  'execute $$select 1$$ into new; return new;',
])('%s may set any column', (body) => {
  expect(columnsOf(body)).toEqual(['*', []])
})

test('a function in another language may set any column', () => {
  expect(findTriggerColumns(null).set).toBe('*')
})
