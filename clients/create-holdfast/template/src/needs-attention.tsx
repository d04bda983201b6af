import { explainVerdict, type RejectedChange } from '@holdfast/client'
import { useRejectedChanges } from '@holdfast/react'

export function NeedsAttention() {
  const { changes, retry, discard } = useRejectedChanges()
  if (changes.length === 0) return null
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {changes.map((change) => {
        const { id, table, recordId, verdict } = change
        const { title, advice, detail } = explainVerdict(verdict)
        const sendAgain = async (form: FormData) => {
          await retry(id, [{ table, recordId, values: { body: String(form.get('body')) } }])
        }
        return (
          <article key={id}>
            <p>
              <strong>{title}.</strong> {advice}
            </p>
            <details>
              <summary>Details</summary>
              {detail}
            </details>
            <form action={sendAgain}>
              <input name="body" aria-label="Note" defaultValue={bodyOf(change)} required />
              <button>Send again</button>
              <button type="button" className="quiet" onClick={() => void discard(id)}>
                Discard
              </button>
            </form>
          </article>
        )
      })}
    </section>
  )
}

/** What was refused, as it was typed. */
function bodyOf({ operations, recordId }: RejectedChange): string {
  const value = operations.findLast(({ id, data }) => id === recordId && data && 'body' in data)?.data?.['body']
  return typeof value === 'string' ? value : ''
}
