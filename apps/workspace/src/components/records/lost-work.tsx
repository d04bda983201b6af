import type { UnsentCount } from '@holdfast/client'
import { useRecords } from '@holdfast/react'
import type { JSX } from 'react'
import { UNFINISHED_SQL } from '../../lib/records/drafts.ts'
import { syncMessages as words } from '../../messages/sync.ts'

/** Lists what would be lost when this user's data is removed from the device; nothing if all of it is on the server. */
export function LostWork({ waiting, attention, files }: UnsentCount): JSX.Element | null {
  const { rows } = useRecords<{ readonly drafts: number }>(UNFINISHED_SQL)
  const lost = [
    { count: waiting, text: words.lostChanges },
    { count: attention, text: words.lostRefused },
    { count: files, text: words.lostFiles },
    { count: rows[0]?.drafts ?? 0, text: words.lostDrafts },
  ].filter(({ count }) => count > 0)
  if (lost.length === 0) return null
  return (
    <div className="pt-2 text-danger">
      <p className="font-medium">{words.lostForGood}</p>
      <ul className="list-disc pl-5">
        {lost.map(({ count, text }) => (
          <li key={text(count)}>{text(count)}</li>
        ))}
      </ul>
    </div>
  )
}
