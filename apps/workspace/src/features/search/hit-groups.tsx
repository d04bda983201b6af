import { Link } from '@tanstack/react-router'
import type { JSX, ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { LinkButton } from '../../components/link.tsx'
import type { TableInfo } from '../../lib/data/tables.ts'
import { shortId } from '../../lib/data/use-record-title.ts'
import { useTables } from '../../lib/data/use-tables.tsx'
import { factWords, type HitFacts } from '../../lib/search/hit-facts.ts'
import type { HitRow } from '../../lib/search/hits-sql.ts'
import { markWords } from '../../lib/search/mark-words.ts'
import type { CommentHit } from '../../lib/search/use-comment-hits.ts'
import { wordsOf } from '../../lib/search/word-sql.ts'
import { searchMessages as words } from '../../messages/search.ts'

/** Length of an excerpt around the first match, in characters. */
const EXCERPT = 160

const lineClass =
  'focus-inset flex min-h-11 flex-col justify-center gap-0.5 rounded-sm px-2 py-1.5 text-text no-underline hover:bg-hover'

/** The matches in one table. */
export function RecordGroup({
  workspace,
  table,
  text,
  facts,
  hits,
  hasMore,
}: {
  readonly workspace: string
  readonly table: TableInfo
  readonly text: string
  readonly facts: HitFacts
  readonly hits: readonly HitRow[]
  readonly hasMore: boolean
}): JSX.Element {
  const typed = wordsOf(text)
  return (
    <Group
      id={`hits-${table.name}`}
      title={table.label}
      more={
        hasMore ? (
          <LinkButton
            size="sm"
            tone="quiet"
            to="/w/$ws/t/$table"
            params={{ ws: workspace, table: table.name }}
            search={{ q: text.trim() }}
          >
            {words.more(table.label)}
          </LinkButton>
        ) : null
      }
    >
      {hits.map(({ id, title, code, text: found, ...hit }) => (
        <li key={id}>
          <Link
            to="/w/$ws/t/$table/r/$record"
            params={{ ws: workspace, table: table.name, record: id }}
            className={lineClass}
          >
            <span className="flex min-w-0 items-baseline gap-3">
              <span className="min-w-0 flex-1 truncate font-medium">
                <MarkedWords text={title === null || title === '' ? shortId(id) : String(title)} words={typed} />
              </span>
              {code === null ? null : (
                <span className="shrink-0 text-small text-muted tabular-nums">
                  <MarkedWords text={String(code)} words={typed} />
                </span>
              )}
            </span>
            {/* The place that matches is said once. */}
            <Details text={found === hit.link ? null : found} facts={factWords(facts, hit)} words={typed} />
          </Link>
        </li>
      ))}
    </Group>
  )
}

/** What tells a record from others with the same title, and the text that matches. */
function Details({
  text,
  facts,
  words: typed,
}: {
  readonly text: string | null
  readonly facts: string
  readonly words: readonly string[]
}): JSX.Element | null {
  if (text === null && facts === '') return null
  return (
    <span className="truncate text-small text-muted">
      <MarkedWords text={facts} words={typed} />
      {facts !== '' && text !== null ? ' · ' : null}
      {text === null ? null : <MarkedWords text={text} words={typed} length={EXCERPT} />}
    </span>
  )
}

/** The matches in comments. */
export function CommentGroup({
  workspace,
  text,
  hits,
  onMore,
}: {
  readonly workspace: string
  readonly text: string
  readonly hits: readonly CommentHit[]
  readonly onMore: (() => void) | undefined
}): JSX.Element {
  const typed = wordsOf(text)
  const tables = useTables()
  return (
    <Group
      id="hits-comments"
      title={words.comments}
      more={
        onMore ? (
          <Button size="sm" tone="quiet" onPress={onMore}>
            {words.more(words.comments)}
          </Button>
        ) : null
      }
    >
      {hits.map(({ id, body, author, table, recordId }) => (
        <li key={id}>
          <Link
            to="/w/$ws/t/$table/r/$record"
            params={{ ws: workspace, table, record: recordId }}
            search={{ tab: 'comments' }}
            className={lineClass}
          >
            <span className="line-clamp-2">
              <MarkedWords text={body} words={typed} length={EXCERPT} />
            </span>
            <span className="text-small text-muted">
              {words.commentOf(author ?? words.someone, tables.find(({ name }) => name === table)?.noun ?? table)}
            </span>
          </Link>
        </li>
      ))}
    </Group>
  )
}

function Group({
  id,
  title,
  more,
  children,
}: {
  readonly id: string
  readonly title: string
  readonly more: ReactNode
  readonly children: ReactNode
}): JSX.Element {
  return (
    <section aria-labelledby={id}>
      <div className="flex min-h-8 items-center justify-between gap-3 border-b border-border pb-1">
        <h2 id={id} className="text-heading">
          {title}
        </h2>
        {more}
      </div>
      <ul className="divide-y divide-border/60">{children}</ul>
    </section>
  )
}

/** Highlights the search words in a text. @param length - of the excerpt around the first match, in characters */
function MarkedWords({
  text,
  words,
  length,
}: {
  readonly text: string
  readonly words: readonly string[]
  readonly length?: number
}): JSX.Element {
  return (
    <>
      {markWords(text, words, length).map((piece, index) =>
        piece.isFound ? (
          // The same pieces in the same places: a text is cut anew as a whole.
          // oxlint-disable-next-line react/no-array-index-key
          <mark key={index} className="rounded-xs bg-accent-soft text-inherit forced:bg-[Mark]">
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      )}
    </>
  )
}
