import { useJudgements, useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { type JSX, useEffect, useEffectEvent, useState } from 'react'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { RECORD_STATES, StateGlyph } from '../../components/state-glyph.tsx'
import { useToday } from '../../hooks/use-today.ts'
import { COMMENTS_TABLE, useAuthorSql } from '../../lib/data/comments-table.ts'
import { useTypedHere } from '../../lib/data/typing.ts'
import { storeOrTell } from '../../lib/data/unstored.ts'
import { addDays, momentOf } from '../../lib/fields/dates.ts'
import { uuidV7, uuidV7Time } from '../../lib/fields/uuid-v7.ts'
import { formatMoment } from '../../lib/format.ts'
import type { LocalStatement } from '../../lib/records/record-change.ts'
import {
  COMMENT_FORM,
  commentDraftId,
  DRAFT_SQL,
  type DraftRow,
  removalOf,
  removeDraft,
  saveDraft,
  toDraft,
} from '../../lib/records/drafts.ts'
import type { RecordWriter } from '../../lib/records/create-record-writer.ts'
import { useRecordMarks } from '../../lib/records/use-record-marks.ts'
import { type Mentionable, mentionedIn, parseChosen, renderChosen, splitMentions } from '../../lib/records/mentions.ts'
import { type ReadPlace, UNREAD_DAYS, useMarkRead, useReadMark } from '../../lib/records/read-marks.ts'
import { lazyAfterPaint } from '../../components/late-content.tsx'
import { usePlaceTopics } from '../../lib/presence/topics.ts'
import { mentionMessages } from '../../messages/mentions.ts'
import { recordMessages as words } from '../../messages/record.ts'
import { stateMessages } from '../../messages/states.ts'
import { MentionField } from './mention-field.tsx'

const TypingMark = lazyAfterPaint<{ readonly topic: string | undefined; readonly text: string }>(
  async () => (await import('./typing-mark.tsx')).TypingMark,
)

const BODY_MAX = 10_000
const MENTIONS_MAX = 50

interface CommentRow {
  readonly id: string
  readonly body: string | null
  readonly author_id: string | null
  readonly author: string | null
  readonly created_at: string | null
  readonly edited_at: string | null
  readonly deleted_at: string | null
  /** JSON array of account ids. */
  readonly mentions: string | null
}

/** Returns the number of a record's comments on this device; `undefined` if the project has no comments. */
export function useCommentCount(table: string, id: string): number | undefined {
  const schema = useSchema()
  const isThere = schema.tables.some(({ name }) => name === COMMENTS_TABLE)
  const { rows } = useRecords<{ readonly rows: number }>(
    isThere ? `select count(*) as rows from ${COMMENTS_TABLE} where table_name = ? and record_id = ?` : '',
    [table, id],
  )
  return isThere ? (rows[0]?.rows ?? 0) : undefined
}

/** A record's comments, oldest first, with a field to add one. */
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
  const comments = schema.tables.find(({ name }) => name === COMMENTS_TABLE)
  const hasMentions = comments?.columns.some(({ name }) => name === 'mentions') === true
  const { rows, isLoading } = useRecords<CommentRow>(
    `select c.id, c.body, c.author_id, c.created_at, c.edited_at, c.deleted_at, ${hasMentions ? 'c.mentions' : 'null'} as mentions, ${useAuthorSql('c.author_id')} as author
       from ${COMMENTS_TABLE} c where c.table_name = ? and c.record_id = ? order by coalesce(c.created_at, '9'), c.id`,
    [table, id],
  )
  const names = useNames(rows)
  const newSince = useNewSince({ table, record: id }, rows, local.userId)
  const canAdd = useMayComment(comments?.can.insert === true, table, id)
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
          const isNew = newSince !== undefined && row.author_id !== local.userId && (row.created_at ?? '') > newSince
          return (
            <li key={row.id} className="flex gap-2.5">
              <Avatar name={row.author ?? author} size="sm" />
              <article aria-label={words.commentBy(author)} className="min-w-0 flex-1">
                <p className="flex flex-wrap items-baseline gap-x-2 text-small text-muted">
                  <span className="text-body font-medium text-text">{author}</span>
                  {at === undefined ? null : <time dateTime={at.toISOString()}>{formatMoment(at)}</time>}
                  {isNew ? (
                    <span className="self-center rounded-full bg-accent-soft px-1.5 text-accent">
                      {mentionMessages.newComment}
                    </span>
                  ) : null}
                  {row.edited_at === null ? null : <span>{words.commentEdited}</span>}
                  {state === 'clean' ? null : (
                    <span className={`inline-flex items-center gap-1 self-center ${RECORD_STATES[state].tone}`}>
                      <StateGlyph name={RECORD_STATES[state].glyph} size={12} />
                      {stateMessages[state]}
                    </span>
                  )}
                </p>
                {row.deleted_at === null ? (
                  <p className="text-body [overflow-wrap:anywhere] whitespace-pre-wrap">
                    {splitMentions(row.body ?? '', names).map((piece, place) =>
                      piece.isMention ? (
                        <span key={place} className="rounded-sm bg-accent-soft text-accent">
                          {piece.text}
                        </span>
                      ) : (
                        piece.text
                      ),
                    )}
                  </p>
                ) : (
                  <p className="text-body text-muted italic">{words.commentDeleted}</p>
                )}
              </article>
            </li>
          )
        })}
      </ul>
      {canAdd ? <CommentForm {...{ table, id, writer, hasMentions }} userId={local.userId} /> : null}
    </div>
  )
}

/** Returns whether policies let this user comment on the record; false until they are evaluated. */
function useMayComment(canInsert: boolean, table: string, id: string): boolean {
  const { userId } = useLocalDatabase()
  const judgements = useJudgements(
    canInsert
      ? [
          {
            table: COMMENTS_TABLE,
            command: 'insert',
            after: { table_name: table, record_id: id, author_id: userId, body: '-' },
          },
        ]
      : [],
  )
  return judgements !== undefined && judgements[0]?.kind !== 'refused'
}

/** Returns the names of the users mentioned in these comments. */
function useNames(rows: readonly CommentRow[]): readonly string[] {
  const ids = [...new Set(rows.flatMap(({ mentions }) => (mentions === null ? [] : parseIds(mentions))))]
  const name = useAuthorSql('value')
  const { rows: named } = useRecords<{ readonly name: string | null }>(
    ids.length === 0 ? '' : `select ${name} as name from json_each(?)`,
    [JSON.stringify(ids)],
  )
  return ids.length === 0 ? [] : named.flatMap((row) => (row.name === null ? [] : [row.name]))
}

function parseIds(text: string): readonly string[] {
  const value: unknown = JSON.parse(text)
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : []
}

/** Returns the read mark from when the comments were opened. Showing them marks them as read. `undefined`: no comment is highlighted. */
function useNewSince(place: ReadPlace, rows: readonly CommentRow[], userId: string): string | undefined {
  const mark = useReadMark(place)
  const markRead = useMarkRead()
  const today = useToday()
  const [since, setSince] = useState<string>()
  if (since === undefined && mark !== undefined) {
    setSince([mark, addDays(today, -UNREAD_DAYS)].toSorted().at(-1))
  }
  const newest = rows.reduce(
    (last, { author_id, created_at }) =>
      author_id !== userId && created_at !== null && created_at > last ? created_at : last,
    '',
  )
  const read = useEffectEvent(markRead)
  const { table, record } = place
  const isRead = since === undefined || newest <= since || (mark !== undefined && newest <= mark)
  // Rendering the comments counts as reading them.
  useEffect(() => {
    if (!isRead) read({ table, record }, newest)
  }, [isRead, table, record, newest])
  return since
}

interface CommentFormProps {
  readonly table: string
  readonly id: string
  readonly writer: RecordWriter
  readonly userId: string
  /** Older servers do not store mentions. */
  readonly hasMentions: boolean
}

/** Starts with the unsent comment, if there is one. */
function CommentForm(props: CommentFormProps): JSX.Element | null {
  const draftId = commentDraftId(props.table, props.id)
  const { rows, isLoading } = useRecords<DraftRow>(DRAFT_SQL, [draftId])
  const [row] = rows
  if (isLoading) return null
  const { body, mentions } = row ? toDraft(row).values : {}
  return <NewComment {...props} draftId={draftId} begun={{ body: String(body ?? ''), chosen: parseChosen(mentions) }} />
}

/** An unsent comment and the users it may mention. */
interface Begun {
  readonly body: string
  readonly chosen: readonly Mentionable[]
}

interface CommentDraft extends Begun {
  readonly choose: (person: Mentionable) => void
  readonly setBody: (body: string | ((before: string) => string)) => void
  /** Stores the draft on this device. */
  readonly keep: () => void
  /** Marks the comment as sent. Returns the statement that deletes its draft in the same transaction. */
  readonly sent: () => LocalStatement
}

/** Keeps an unsent comment on this device when the user leaves, until it is sent. */
function useCommentDraft(table: string, id: string, begun: Begun): CommentDraft {
  const { database } = useLocalDatabase()
  const [body, setBody] = useState(begun.body)
  const [kept, setKept] = useState(begun.body)
  const [chosen, setChosen] = useState(begun.chosen)
  const keep = (): void => {
    if (body === kept) return
    setKept(body)
    const draft = { id, table, values: { body, mentions: renderChosen(chosen) }, form: COMMENT_FORM }
    const write = (): Promise<void> => (body === '' ? removeDraft(database, id) : saveDraft(database, draft))
    void storeOrTell(words.newComment, write).then((isStored) => isStored || setKept(kept))
  }
  const leave = useEffectEvent(keep)
  // Runs when this tab of the record closes or another record opens.
  useEffect(() => () => leave(), [])
  useTypedHere(body !== kept, keep)
  return {
    body,
    chosen,
    choose: (person) => setChosen((before) => [...before, person]),
    setBody,
    keep,
    sent() {
      setBody('')
      setKept('')
      return removalOf(id)
    },
  }
}

function NewComment({
  table,
  id,
  writer,
  draftId,
  begun,
  userId,
  hasMentions,
}: CommentFormProps & {
  readonly draftId: string
  /** The unsent comment. */
  readonly begun: Begun
}): JSX.Element {
  const { body, chosen, choose, setBody, keep, sent } = useCommentDraft(table, draftId, begun)
  const topic = usePlaceTopics().record(table, id)
  const text = body.trim()
  const isTooLong = [...text].length > BODY_MAX
  const send = (): void => {
    if (text === '' || isTooLong) return
    const drafts = [sent()]
    const mentions = mentionedIn(text, chosen).slice(0, MENTIONS_MAX)
    const writing = writer.write({
      label: words.newComment,
      drafts,
      changes: [
        {
          kind: 'insert',
          table: COMMENTS_TABLE,
          id: uuidV7(),
          values: {
            table_name: table,
            record_id: id,
            body: text,
            author_id: userId,
            ...(hasMentions && { mentions: JSON.stringify(mentions) }),
          },
        },
      ],
    })
    void writing.then((isStored) => isStored || setBody((newer) => (newer === '' ? body : newer)))
  }
  return (
    <form
      className="flex flex-col items-start gap-2"
      onBlur={keep}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <MentionField
        label={words.commentLabel}
        placeholder={words.commentPlaceholder}
        value={body}
        errorMessage={isTooLong ? words.commentTooLong(BODY_MAX) : undefined}
        onChange={setBody}
        onMention={choose}
        onSend={send}
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
