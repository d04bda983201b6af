import { sql, type Pool } from '@holdfast/postgres'

/** The user who sends the requests; policies compare it with the owner of each row. */
export const OWNER = '0e3a5c1e-7d4f-4a55-9a8e-0c6f1d2b3a4c'

const PROJECTS = 200
const PEOPLE = 500
const TASKS = 20_000
const BULK_ROWS = 1_000

/** A request to the server, and a statement that produces the same bytes. */
export interface RestCase {
  readonly name: string
  readonly request: {
    readonly method: 'GET' | 'POST'
    readonly path: string
    readonly body?: string
  }
  readonly text: string
  readonly values: readonly unknown[]
}

export type RestCaseName = 'single row by key' | '100 rows with two embeds' | 'insert of one' | 'bulk insert of 1,000'

/** Creates tables with policies. They are not synced, because no column that is never NULL identifies their rows, so that only REST is measured. */
export async function createRestTables(admin: Pool): Promise<void> {
  const policy = `to authenticated using (owner = (select auth.uid())) with check (owner = (select auth.uid()))`
  const statements = [
    `create table public.bench_projects (number int unique, name text not null, owner uuid not null)`,
    `create table public.bench_people (number int unique, name text not null, owner uuid not null)`,
    `create table public.bench_tasks (
       number int unique, title text not null, state text not null, due_on date, hours numeric(6,2), owner uuid not null,
       project int not null references public.bench_projects (number),
       assignee int references public.bench_people (number))`,
    `create index on public.bench_tasks (project)`,
    `create table public.bench_notes (number bigint generated always as identity, title text not null, body text,
       count int, owner uuid not null)`,
    ...['projects', 'people', 'tasks', 'notes'].flatMap((name) => [
      `alter table public.bench_${name} enable row level security`,
      `create policy own on public.bench_${name} for all ${policy}`,
    ]),
    `insert into public.bench_projects select n, 'Project ' || n, '${OWNER}' from generate_series(1, ${PROJECTS}) n`,
    `insert into public.bench_people select n, 'Person ' || n, '${OWNER}' from generate_series(1, ${PEOPLE}) n`,
    `insert into public.bench_tasks
       select n, 'Task number ' || n, case n % 3 when 0 then 'done' else 'open' end, date '2024-01-01' + n % 365, n % 40,
              '${OWNER}', 1 + n % ${PROJECTS}, 1 + n % ${PEOPLE}
         from generate_series(1, ${TASKS}) n`,
    `analyze public.bench_projects, public.bench_people, public.bench_tasks`,
  ]
  for (const statement of statements) await admin.execute(sql.trusted(statement))
}

/** @param random - from 0 to 1 */
export function restCase(name: RestCaseName, random: number): RestCase {
  switch (name) {
    case 'single row by key': {
      const number = 1 + Math.floor(random * TASKS)
      return {
        name,
        request: { method: 'GET', path: `/rest/v1/bench_tasks?number=eq.${number}` },
        text: `select coalesce(json_agg(t), '[]')::text as body from (select * from public.bench_tasks where number = $1) t`,
        values: [number],
      }
    }
    case '100 rows with two embeds': {
      const project = 1 + Math.floor(random * PROJECTS)
      const select = 'number,title,state,due_on,project:bench_projects(number,name),assignee:bench_people(number,name)'
      return {
        name,
        request: {
          method: 'GET',
          path: `/rest/v1/bench_tasks?select=${select}&project=eq.${project}&order=number&limit=100`,
        },
        text: `
          select coalesce(json_agg(t), '[]')::text as body
            from (select task.number, task.title, task.state, task.due_on, row_to_json(of_project) as project,
                         row_to_json(of_assignee) as assignee
                    from public.bench_tasks task
                    left join lateral (select p.number, p.name from public.bench_projects p
                                        where p.number = task.project) of_project on true
                    left join lateral (select p.number, p.name from public.bench_people p
                                        where p.number = task.assignee) of_assignee on true
                   where task.project = $1
                   order by task.number
                   limit 100) t`,
        values: [project],
      }
    }
    case 'insert of one': {
      const note = newNote(Math.floor(random * 1e6))
      return {
        name,
        request: { method: 'POST', path: '/rest/v1/bench_notes', body: JSON.stringify(note) },
        text: `insert into public.bench_notes (title, body, count, owner) values ($1, $2, $3, $4)`,
        values: [note.title, note.body, note.count, note.owner],
      }
    }
    case 'bulk insert of 1,000':
      return {
        name,
        // With the columns, as postgrest-js sends it.
        request: {
          method: 'POST',
          path: '/rest/v1/bench_notes?columns=%22title%22,%22body%22,%22count%22,%22owner%22',
          body: BULK,
        },
        text: `insert into public.bench_notes (title, body, count, owner)
               select title, body, count, owner
                 from json_to_recordset($1) as note (title text, body text, count int, owner uuid)`,
        values: [BULK],
      }
  }
}

function newNote(count: number): { title: string; body: string; count: number; owner: string } {
  return { title: `Note ${count}`, body: 'Something that a worker has seen on site.', count, owner: OWNER }
}

const BULK = JSON.stringify(Array.from({ length: BULK_ROWS }, (_, index) => newNote(index)))
