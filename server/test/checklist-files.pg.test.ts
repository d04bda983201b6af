import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runAs, sql } from '@holdfast/postgres'
import { EDDA, MOLE, OLGA, openChangeWorld, type ChangeWorld } from './support/change-world.ts'

// Photos and signatures as answers of checklists. Who may see and change files is compared with the rules in access-rules.pg.test.ts.

let world: ChangeWorld
const questions: Record<string, string> = {}

beforeAll(async () => {
  world = await openChangeWorld()
  await world.create('rounds', [{ name: 'title', label: 'Title', kind: 'text' }])
  await world.asked(
    OLGA,
    sql`select holdfast.add_checklist(${world.workspace}, 'rounds', '{"name": "Fire walk"}'::jsonb)`,
  )
  for (const kind of ['photo', 'signature', 'text']) {
    const [row] = await world.asked<{ id: string }>(
      OLGA,
      sql`insert into public.rounds_questions (checklist, prompt, kind)
          select id, ${kind}, ${kind} from public.rounds_checklists returning id`,
    )
    questions[kind] = row?.id ?? ''
  }
})
afterAll(() => world[Symbol.asyncDispose]())

async function round(): Promise<string> {
  const [row] = await world.asked<{ id: string }>(
    EDDA,
    sql`insert into public.rounds (title) values ('r') returning id`,
  )
  return row?.id ?? ''
}

/** Answers as the app does: the file and the answer in one transaction. */
async function answer(record: string, kind: string, name: string, given: string | null = name): Promise<string> {
  const id = randomUUID()
  const question = questions[kind] ?? kind
  await runAs(
    world.database.requestPool,
    { role: 'authenticated', claims: { role: 'authenticated', sub: EDDA } },
    async (tx) => {
      await tx.execute(sql`
        insert into public.rounds_files (id, record_id, field, name, path, media_type)
        values (${id}, ${record}, ${question}, ${name}, ${`${EDDA}/rounds_files/${id}.jpg`}, 'image/jpeg')`)
      await tx.execute(sql`
        insert into public.rounds_answers (record, question, value_text) values (${record}, ${question}, ${given})
        on conflict (record, question) do update set value_text = excluded.value_text`)
    },
  )
  return id
}

const answers = (record: string): Promise<readonly object[]> =>
  world.asked(
    EDDA,
    sql`select q.kind, a.value_text from public.rounds_answers a join public.rounds_questions q on q.id = a.question
         where a.record = ${record} order by q.kind`,
  )

describe('the answer of a photo or signature question', () => {
  test('has the names of its files, whatever a client writes to it', async () => {
    const record = await round()
    await answer(record, 'photo', 'bow.jpg', 'made up')
    await answer(record, 'photo', 'stern.jpg', null)
    await answer(record, 'signature', 'Edda')
    expect(await answers(record)).toEqual([
      { kind: 'photo', value_text: expect.stringMatching(/^(bow|stern)\.jpg, (bow|stern)\.jpg$/) as string },
      { kind: 'signature', value_text: 'Edda' },
    ])
    await world.asked(EDDA, sql`update public.rounds_answers set value_text = 'other' where record = ${record}`)
    await world.asked(EDDA, sql`delete from public.rounds_files where record_id = ${record} and name = 'bow.jpg'`)
    await world.asked(EDDA, sql`delete from public.rounds_files where record_id = ${record} and name = 'Edda'`)
    expect(await answers(record)).toEqual([
      { kind: 'photo', value_text: 'stern.jpg' },
      { kind: 'signature', value_text: null },
    ])
  })

  test('leaves the answers of other questions alone', async () => {
    const record = await round()
    await world.asked(
      EDDA,
      sql`insert into public.rounds_answers (record, question, value_text) values (${record}, ${questions['text']}, 'dry')`,
    )
    expect(await answers(record)).toEqual([{ kind: 'text', value_text: 'dry' }])
  })

  test('is one signature', async () => {
    const record = await round()
    await answer(record, 'signature', 'Edda')
    await expect(answer(record, 'signature', 'Olga')).rejects.toMatchObject({ hint: 'attachment.signed' })
  })
})

describe('a file', () => {
  test('belongs to a photo or signature question of the table', async () => {
    const record = await round()
    await expect(answer(record, 'text', 'a.jpg')).rejects.toMatchObject({ hint: 'attachment.no_field' })
    await expect(answer(record, randomUUID(), 'a.jpg')).rejects.toMatchObject({ hint: 'attachment.no_field' })
  })

  test('is seen with its record', async () => {
    const record = await round()
    await answer(record, 'photo', 'a.jpg')
    const seen = (who: string): Promise<readonly object[]> =>
      world.asked(who, sql`select name from public.rounds_files where record_id = ${record}`)
    expect(await seen(OLGA)).toEqual([{ name: 'a.jpg' }])
    expect(await seen(MOLE)).toEqual([])
  })
})

test('a table with policies of a developer has checklists without files', async () => {
  await world.create('custom', [{ name: 'title', label: 'Title', kind: 'text' }])
  await world.database.pool.execute(sql`
    create policy extra on public.custom for select to authenticated using (false);
    create table public.custom_items (id uuid primary key, kind text, prompt text);
    create table public.custom_answers (id uuid primary key, record uuid references public.custom, item uuid references public.custom_items, value_text text);
    insert into holdfast.checklists (table_name, item_table, answer_table) values ('custom', 'custom_items', 'custom_answers')`)
  expect(await world.database.pool.query(sql`select to_regclass('public.custom_files') as files`)).toEqual([
    { files: null },
  ])
})
