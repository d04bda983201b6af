import { useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { RECORD_STATES, StateGlyph } from '../../components/state-glyph.tsx'
import { TextField } from '../../components/text-field.tsx'
import { COMMENTS_TABLE, useAuthorSql } from '../../lib/data/comments-table.ts'
import { momentOf } from '../../lib/fields/dates.ts'
import { uuidV7, uuidV7Time } from '../../lib/fields/uuid-v7.ts'
import { formatMoment } from '../../lib/format.ts'
import type { RecordWriter } from '../../lib/records/create-record-writer.ts'
import { useRecordMarks } from '../../lib/records/use-record-marks.ts'
import { isApple } from '../../lib/shortcuts.ts'
import { lazyAfterPaint } from '../../lib/presence/lazy-after-paint.tsx'
import { usePlaceTopics } from '../../lib/presence/topics.ts'
import { recordMessages as words } from '../../messages/record.ts'
import { stateMessages } from '../../messages/states.ts'

const TypingMark = lazyAfterPaint<{ readonly topic: string | undefined; readonly text: string }>(
  async () => (await import('./typing-mark.tsx')).TypingMark,
)

const BODY_MAX = 10_000

interface CommentRow {
  readonly id: string
  readonly body: string | null
  readonly author_id: string | null
  readonly author: string | null
  readonly created_at: string | null
  readonly edited_at: string | null
  readonly deleted_at: string | null
}

/** Comments of a record on this device; `undefined` when the project has none at all. */
export function useCommentCount(table: string, id: string): number | undefined {
  const schema = useSchema()
  const isThere = schema.tables.some(({ name }) => name === COMMENTS_TABLE)
  const { rows } = useRecords<{ readonly rows: number }>(
    isThere ? `select count(*) as rows from ${COMMENTS_TABLE} where table_name = ? and record_id = ?` : '',
    [table, id],
  )
  return isThere ? (rows[0]?.rows ?? 0) : undefined
}

/** What people say about a record, oldest first, and a field to add to it. */
export function Comments({
  table,
  id,
  writer,
}: {
  readonly table: string
  readonly id: string
  readonly writer: RecordWriter
}): JSX.Element {
  const schema = useSchema()
  const local = useLocalDatabase()
  const marks = useRecordMarks(COMMENTS_TABLE)
  const { rows, isLoading } = useRecords<CommentRow>(
    `select c.id, c.body, c.author_id, c.created_at, c.edited_at, c.deleted_at, ${useAuthorSql('c.author_id')} as author
       from ${COMMENTS_TABLE} c where c.table_name = ? and c.record_id = ? order by coalesce(c.created_at, '9'), c.id`,
    [table, id],
  )
  const canAdd = schema.tables.find(({ name }) => name === COMMENTS_TABLE)?.can.insert === true
  return (
    <div className="flex flex-col gap-4">
      {rows.length === 0 && !isLoading ? (
        <div>
          <p className="text-body">{words.noComments}</p>
          <p className="text-small text-muted">{words.noCommentsDetail}</p>
        </div>
      ) : null}
      <ul className="flex flex-col gap-4">
        {rows.map((row) => {
          const author = row.author_id === local.userId ? words.you : (row.author ?? words.someone)
          const at = row.created_at === null ? uuidV7Time(row.id) : momentOf(row.created_at)
          const state = marks?.get(row.id)?.state ?? 'clean'
          return (
            <li key={row.id} className="flex gap-2.5">
              <Avatar name={row.author ?? author} size="sm" />
              <article aria-label={words.commentBy(author)} className="min-w-0 flex-1">
                <p className="flex flex-wrap items-baseline gap-x-2 text-small text-muted">
                  <span className="text-body font-medium text-text">{author}</span>
                  {at === undefined ? null : <time dateTime={at.toISOString()}>{formatMoment(at)}</time>}
                  {row.edited_at === null ? null : <span>{words.commentEdited}</span>}
                  {state === 'clean' ? null : (
                    <span className={`inline-flex items-center gap-1 self-center ${RECORD_STATES[state].tone}`}>
                      <StateGlyph name={RECORD_STATES[state].glyph} size={12} />
                      {stateMessages[state]}
                    </span>
                  )}
                </p>
                {row.deleted_at === null ? (
                  <p className="text-body [overflow-wrap:anywhere] whitespace-pre-wrap">{row.body}</p>
                ) : (
                  <p className="text-body text-muted italic">{words.commentDeleted}</p>
                )}
              </article>
            </li>
          )
        })}
      </ul>
      {canAdd ? <NewComment table={table} id={id} writer={writer} userId={local.userId} /> : null}
    </div>
  )
}

function NewComment({
  table,
  id,
  writer,
  userId,
}: {
  readonly table: string
  readonly id: string
  readonly writer: RecordWriter
  readonly userId: string
}): JSX.Element {
  const [body, setBody] = useState('')
  const topic = usePlaceTopics().record(table, id)
  const text = body.trim()
  const isTooLong = [...text].length > BODY_MAX
  const send = (): void => {
    if (text === '' || isTooLong) return
    setBody('')
    const writing = writer.write({
      label: words.newComment,
      changes: [
        {
          kind: 'insert',
          table: COMMENTS_TABLE,
          id: uuidV7(),
          values: { table_name: table, record_id: id, body: text, author_id: userId },
        },
      ],
    })
    void writing.then((isStored) => isStored || setBody((newer) => (newer === '' ? body : newer)))
  }
  return (
    <form
      className="flex flex-col items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <TextField
        label={words.commentLabel}
        placeholder={words.commentPlaceholder}
        rows={3}
        value={body}
        onChange={setBody}
        errorMessage={isTooLong ? words.commentTooLong(BODY_MAX) : undefined}
        className="w-full"
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (isApple() ? event.metaKey : event.ctrlKey)) send()
          else event.continuePropagation()
        }}
      />
      <div className="flex w-full min-w-0 items-center gap-3">
        <Button type="submit" size="sm" isDisabled={text === '' || isTooLong}>
          {words.addComment}
        </Button>
        <TypingMark topic={topic} text={text} />
      </div>
    </form>
  )
}
