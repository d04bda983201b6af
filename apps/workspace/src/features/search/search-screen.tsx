import { useHasSynced, useLocalDatabase, useRecords, useSchema } from '@holdfast/react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { JSX } from 'react'
import { DebouncedSearchField } from '../../components/debounced-search-field.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { LinkButton } from '../../components/link.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { IndexNote } from '../../components/index-note.tsx'
import { Page } from '../../components/page.tsx'
import { FirstRowsNote } from '../../components/records/first-rows-note.tsx'
import { Select } from '../../components/select.tsx'
import { COMMENTS_TABLE } from '../../lib/data/comments-table.ts'
import { useTableCounts } from '../../lib/data/use-table-counts.ts'
import { useTables, useWordedSchema } from '../../lib/data/use-tables.tsx'
import { fieldsOf } from '../../lib/fields/field.ts'
import { candidatesOf } from '../../lib/search/candidates-of.ts'
import { factColumns, hitFactsOf } from '../../lib/search/hit-facts.ts'
import { type HitRow, hitsSql } from '../../lib/search/hits-sql.ts'
import { useCommentHits } from '../../lib/search/use-comment-hits.ts'
import { TYPED_MIN } from '../../lib/search/use-record-hits.ts'
import { searchedColumns, wordsOf } from '../../lib/search/word-sql.ts'
import { quoteName } from '../../lib/sql.ts'
import { searchMessages as words } from '../../messages/search.ts'
import { CommentGroup, RecordGroup } from './hit-groups.tsx'

/** Matches per table when searching all tables, and when searching one. */
const HITS_PER_TABLE = 5
const HITS_OF_ONE_TABLE = 200
const ALL = ''

/** Searches everything on this device: records by their texts and links, and comments. */
export function SearchScreen(): JSX.Element {
  const { ws } = useParams({ from: '/signed-in/w/$ws/search' })
  const { q = '', table = ALL } = useSearch({ from: '/signed-in/w/$ws/search' })
  const navigate = useNavigate()
  const tables = useTables()
  const hasComments = useSchema().tables.some(({ name }) => name === COMMENTS_TABLE)
  const hasSynced = useHasSynced()
  const set = (change: { readonly q?: string | undefined; readonly table?: string | undefined }): void => {
    const search = { q: q === '' ? undefined : q, table: table === ALL ? undefined : table, ...change }
    void navigate({ to: '/w/$ws/search', params: { ws }, search, replace: true })
  }
  return (
    <Page title={words.title} description={words.lead}>
      <div role="search" className="flex flex-wrap items-center gap-2 pb-4">
        <DebouncedSearchField
          label={words.field}
          placeholder={words.placeholder}
          text={q}
          onTyped={(typed) => set({ q: typed.trim() === '' ? undefined : typed })}
          autoFocus
          className="min-w-48 flex-1 basis-64"
        />
        <Select
          label={words.where}
          isLabelHidden
          value={table}
          onChange={(chosen) => set({ table: chosen === ALL ? undefined : chosen })}
          options={[
            { value: ALL, label: words.inAll },
            ...tables.map(({ name, label }) => ({ value: name, label })),
            ...(hasComments ? [{ value: COMMENTS_TABLE, label: words.comments }] : []),
          ]}
          className="w-44 max-tablet:flex-1"
        />
      </div>
      {q.trim().length < TYPED_MIN ? (
        <EmptyState title={words.type}>{words.typeDetail}</EmptyState>
      ) : (
        <div className="flex flex-col gap-6">
          <IndexNote />
          {hasSynced ? null : <FirstRowsNote rows={2} />}
          <Hits workspace={ws} text={q} table={table} onTable={(chosen) => set({ table: chosen })} />
        </div>
      )}
    </Page>
  )
}

function Hits({
  workspace,
  text,
  table: chosen,
  onTable,
}: {
  readonly workspace: string
  readonly text: string
  /** The table to search; empty: all. */
  readonly table: string
  readonly onTable: (table: string) => void
}): JSX.Element {
  const limit = chosen === ALL ? HITS_PER_TABLE : HITS_OF_ONE_TABLE
  const records = useTableHits(text, chosen, limit)
  const comments = useCommentHits(chosen === ALL || chosen === COMMENTS_TABLE ? text : '', limit + 1)
  const total = [...useTableCounts().values()].reduce((sum, count) => sum + count, 0)
  if (records.error !== undefined) {
    return <ErrorNotice error={{ code: 'HF-SEARCH-FAILED', title: words.failed, technical: records.error.message }} />
  }
  const isReading = records.isReading || comments.isReading
  const count = records.groups.reduce((sum, { hits }) => sum + Math.min(hits.length, limit), 0)
  const shown = count + Math.min(comments.hits.length, limit)
  const isCut = [...records.groups.map(({ hits }) => hits), comments.hits].some((hits) => hits.length > limit)
  return (
    <>
      <p role="status" className="text-small text-muted tabular-nums">
        {isReading ? words.searching : isCut ? words.resultsAtLeast(shown) : words.results(shown)}
      </p>
      {shown === 0 && !isReading ? (
        <NoMatch text={text.trim()} total={total} isAll={chosen === ALL} workspace={workspace} />
      ) : null}
      {records.groups.map(({ table, hits, facts }) => (
        <RecordGroup
          key={table.name}
          workspace={workspace}
          table={table}
          text={text}
          facts={facts}
          hits={hits.slice(0, limit)}
          hasMore={hits.length > limit}
        />
      ))}
      {comments.hits.length > 0 ? (
        <CommentGroup
          workspace={workspace}
          text={text}
          hits={comments.hits.slice(0, limit)}
          onMore={chosen === ALL && comments.hits.length > limit ? () => onTable(COMMENTS_TABLE) : undefined}
        />
      ) : null}
    </>
  )
}

/** Returns matching records by table, plus one beyond the limit if there are more. */
function useTableHits(text: string, chosen: string, limit: number) {
  const schema = useSchema()
  const worded = useWordedSchema()
  const { search } = useLocalDatabase()
  const searched = useTables().filter(({ name }) => chosen === ALL || name === chosen)
  const { text: sql, values } = hitsSql(
    searched.map((table) => {
      const fields = fieldsOf(table.descriptor, schema)
      const named = [table.titleColumn, table.codeColumn].flatMap((name) =>
        name === undefined ? [] : [`t.${quoteName(name)}`],
      )
      return {
        table,
        columns: [...new Set([...named, ...searchedColumns(fields)])],
        words: wordsOf(text),
        candidates: candidatesOf(search, table.name, fields),
        facts: factColumns(hitFactsOf(table, worded)),
        limit: limit + 1,
      }
    }),
  )
  const { rows, isCurrent, error } = useRecords<HitRow>(sql, values)
  const groups = searched.flatMap((table, place) => {
    const hits = rows.filter((row) => row.place === place)
    return hits.length === 0 ? [] : [{ table, hits, facts: hitFactsOf(table, worded) }]
  })
  // A failed query returns no rows instead of the previous ones.
  return { groups, error, isReading: searched.length > 0 && !isCurrent && error === undefined }
}

/** Leads from one table to all, and from there to an empty field. */
function NoMatch({
  text,
  total,
  isAll,
  workspace,
}: {
  readonly text: string
  readonly total: number
  readonly isAll: boolean
  readonly workspace: string
}): JSX.Element {
  return (
    <EmptyState
      title={words.noMatch(text)}
      action={
        <LinkButton to="/w/$ws/search" params={{ ws: workspace }} search={isAll ? {} : { q: text }}>
          {isAll ? words.clear : words.searchAll}
        </LinkButton>
      }
    >
      {words.noMatchDetail(total)}
    </EmptyState>
  )
}
