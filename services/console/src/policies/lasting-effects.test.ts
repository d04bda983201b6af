import { expect, test } from 'vitest'
import { refuseLastingEffects } from './lasting-effects.ts'

test('calls that a rollback does not undo are refused with their line', () => {
  expect(refuseLastingEffects(`select 1;\nselect pg_catalog.setval('notes_id_seq', 1)`)).toEqual({
    message: 'Line 2: a rollback does not undo setval(). Take it out for the preview.',
    code: '25001',
    position: 29,
  })
  for (const text of [
    `do $$ begin perform dblink_exec('host=x', 'drop table y'); end $$`,
    `select (http_get('http://x')).status`,
    `select pg_terminate_backend (1)`,
    `copy notes to '/tmp/x'`,
    `COPY (select 1)\nTO PROGRAM 'sh'`,
  ])
    expect(refuseLastingEffects(text), text).toMatchObject({ code: '25001' })
})

test('what a rollback undoes is not refused', () => {
  for (const text of [
    `select net.http_post('http://x'), nextval('s'), pg_notify('a', 'b')`,
    `create policy http on notes using (true)`,
    `create table copy_of_notes (to_name text default 'x')`,
    `comment on column notes.a is 'goes to the dblink'`,
  ])
    expect(refuseLastingEffects(text), text).toBeUndefined()
})
