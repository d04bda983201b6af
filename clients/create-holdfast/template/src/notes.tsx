import { useRecords, useWrite } from '@holdfast/react'
import type { Database } from './database.types.ts'

type Note = Pick<Database['public']['Tables']['notes']['Row'], 'id' | 'body'>

export function Notes() {
  const { rows } = useRecords<Note>('select id, body from notes order by written_at is null, written_at')
  const write = useWrite()

  async function add(form: FormData) {
    const body = String(form.get('body'))
    await write((tx) => tx.execute('insert into notes (id, body) values (uuid(), ?)', [body]))
  }

  const remove = (id: string) => write((tx) => tx.execute('delete from notes where id = ?', [id]))

  return (
    <>
      <form action={add} className="add">
        <input name="body" aria-label="New note" placeholder="New note" autoComplete="off" required />
        <button>Add</button>
      </form>
      {rows.length === 0 && <p className="empty">No notes yet.</p>}
      <ul aria-label="Notes">
        {rows.map(({ id, body }) => (
          <li key={id}>
            <span>{body}</span>
            <button className="quiet" aria-label={`Delete ${body}`} onClick={() => void remove(id)}>
              Delete
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
